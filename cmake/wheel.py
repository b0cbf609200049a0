"""Writes the wheel of cmake/wheel.sh: python3 cmake/wheel.py LIBRARIES FOLDER [MODULE...]

MODULEs are the compiled part of the module argosy. A Python finds the one that was compiled for it,
by its name. So one wheel is for every version of Python. A Python without a MODULE has the drop-in.
A wheel is an archive of the package's files and of some lines about them. It needs no other tool.
"""
# SPDX-License-Identifier: BSD-3-Clause
import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import zipfile


def version_of_library():
    text = pathlib.Path("include/argosy/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define ARGOSY_VERSION_{part} (\d+)", text).group(1)
                    for part in ("MAJOR", "MINOR", "PATCH"))


def glibc_of(files):
    """Returns the newest minor version of glibc 2 that one of the files needs."""
    newest = 17
    for file in files:
        said = subprocess.run(["readelf", "-V", file], capture_output=True, text=True, check=True)
        newest = max([newest, *(int(n) for n in re.findall(r"GLIBC_2\.(\d+)", said.stdout))])
    return newest


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def development_files(version):
    """Returns the headers of argosy::headers, and the package of CMake."""
    listed = subprocess.run(["cmake", "-P", "cmake/packaging/wheel/headers.cmake"], capture_output=True, text=True, check=True)
    files = {f"argosy/{name}": pathlib.Path(name).read_bytes() for name in listed.stdout.split()}
    config = "argosy/lib/cmake/argosy/argosyConfig"
    files[f"{config}.cmake"] = pathlib.Path("cmake/packaging/wheel/argosyConfig.cmake").read_bytes()
    # As write_basic_package_version_file writes it for SameMinorVersion, for one version.
    minor = version.rpartition(".")[0]
    files[f"{config}Version.cmake"] = (
        f'set(PACKAGE_VERSION "{version}")\n'
        f'if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL "{version}" AND\n'
        f'   (NOT PACKAGE_FIND_VERSION OR "${{PACKAGE_FIND_VERSION}}." MATCHES "^{minor}[.]"))\n'
        "  set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n"
        f'if(PACKAGE_FIND_VERSION STREQUAL "{version}")\n  set(PACKAGE_VERSION_EXACT TRUE)\nendif()\n').encode()
    return files


def main():
    libraries, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    modules = [pathlib.Path(name) for name in sys.argv[3:]]
    version = version_of_library()
    shared = [libraries / "libargosy-mpiio.so", libraries / "libargosy-around.so", *sorted((libraries / "argosy-mpiio").glob("*.so"))]
    tag = f"py3-none-manylinux_2_{glibc_of([*shared, *modules])}_{platform.machine()}"
    info = f"argosy-{version}.dist-info"
    files = {f"argosy/{p.name}": p.read_bytes() for p in sorted(pathlib.Path("lib/python/argosy").glob("*.py"))}
    files |= {f"argosy/lib/{p.relative_to(libraries)}": p.read_bytes() for p in shared}
    files |= development_files(version)
    files |= {f"argosy/{p.name}": p.read_bytes() for p in modules}
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: argosy\nVersion: {version}\n"
        "Summary: Parallel I/O of arrays, and MPI's I/O functions for unchanged programs on any MPI library\n"
        "License: BSD-3-Clause\nRequires-Python: >=3.9\n"
        "Provides-Extra: mpi\nRequires-Dist: mpi4py>=4; extra == 'mpi'\n"
        "Provides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n").encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: argosy\nRoot-Is-Purelib: false\nTag: {tag}\n").encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nargosy = argosy.__main__:main\n"
    files[f"{info}/LICENSE"] = pathlib.Path("LICENSE").read_bytes()
    record = f"{info}/RECORD"
    lines = [record_line(name, data) for name, data in files.items()]
    files[record] = ("\n".join([*lines, f"{record},,"]) + "\n").encode()
    wheel = folder / f"argosy-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            one = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))  # so that equal files make equal wheels
            one.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            one.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(one, data)
    print(wheel)


if __name__ == "__main__":
    main()
