"""Writes the wheel of cmake/wheel.sh: python3 cmake/wheel.py LIBRARIES FOLDER

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


def main():
    libraries, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version = version_of_library()
    shared = [libraries / "libargosy-mpiio.so", *sorted((libraries / "argosy-mpiio").glob("*.so"))]
    tag = f"py3-none-manylinux_2_{glibc_of(shared)}_{platform.machine()}"
    info = f"argosy-{version}.dist-info"
    files = {f"argosy/{p.name}": p.read_bytes() for p in sorted(pathlib.Path("lib/python/argosy").glob("*.py"))}
    files |= {f"argosy/lib/{p.relative_to(libraries)}": p.read_bytes() for p in shared}
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: argosy\nVersion: {version}\n"
        "Summary: MPI's I/O functions by argosy, for unchanged programs on any MPI library\n"
        "License: BSD-3-Clause\nRequires-Python: >=3.9\n").encode()
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
