# Checks the recipes for Spack, Conan and vcpkg without their tools. The Spack recipe must be Python
# that calls only functions of Spack. The manifest of vcpkg must be JSON. Versions and options in
# all three must be those of CMakeLists.txt.
#   python3 check_recipes.py SOURCES     SOURCES is the root of the repository
# SPDX-License-Identifier: BSD-3-Clause
import ast
import json
import pathlib
import re
import sys

# The names of `from spack.package import *` and CMakePackage that recipes like this one use.
SPACK = {"conflicts", "depends_on", "license", "maintainers", "patch", "requires", "variant", "version", "define", "define_from_variant"}

root = pathlib.Path(sys.argv[1])
here = root / "cmake" / "packaging"
options = set(re.findall(r"^option\((\w+)", (root / "CMakeLists.txt").read_text(), re.M)) | {"BUILD_SHARED_LIBS"}
header = (root / "include" / "argosy" / "version.hpp").read_text()
version = ".".join(re.findall(r"#define ARGOSY_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
wrong = []


def check(right, what):
    if not right:
        wrong.append(what)


def options_of(path):
    # -D stands before the name in a port
    named = set(re.findall(r"(?:\b|-D)(ARGOSY_(?:BUILD|ENABLE|WARNINGS)_[A-Z_]+|BUILD_SHARED_LIBS)\b", path.read_text()))
    check(named, f"{path}: names no option of CMakeLists.txt")
    for name in sorted(named - options):
        check(False, f"{path}: CMakeLists.txt has no option {name}")


spack = here / "spack" / "package.py"
tree = ast.parse(spack.read_text(), str(spack))
called = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)]
for f in called:
    name = f.id if isinstance(f, ast.Name) else f.attr
    check(name in SPACK, f"{spack}:{f.lineno}: Spack has no {name}")
variants = {c.args[0].value for c in ast.walk(tree) if isinstance(c, ast.Call) and getattr(c.func, "id", "") == "variant"}
used = {c.args[1].value for c in ast.walk(tree) if isinstance(c, ast.Call) and getattr(c.func, "attr", "") == "define_from_variant"}
check(variants == used, f"{spack}: variants {sorted(variants)}, used are {sorted(used)}")

manifest = json.loads((here / "vcpkg" / "vcpkg.json").read_text())
check(manifest["version"] == version, f"vcpkg.json: version {manifest['version']}, the header says {version}")
port = here / "vcpkg" / "portfile.cmake"
features = set(re.findall(r"\b([a-z]+) ARGOSY_BUILD_", port.read_text()))
check(features == set(manifest["features"]), f"{port}: features {sorted(features)}, vcpkg.json has {sorted(manifest['features'])}")

for path in (spack, port, here / "conan" / "conanfile.py"):
    options_of(path)
print("\n".join(wrong) or "the recipes know what CMakeLists.txt knows")
sys.exit(bool(wrong))
