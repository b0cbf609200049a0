#!/usr/bin/env bash
# Makes the Conan package, and builds and runs a program against it. The client comes from PyPI,
# into a directory of its own:
#   cmake/packaging/check_conan.sh [OPTION...]     options are passed to `conan create`,
#                                                  for example -o '&:shared=False'
# All files are in build/conan. This is not one of the ordinary tests, because it uses the network,
# and compiles the library once more.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p build/conan && work=$(realpath build/conan)
[[ -x $work/venv/bin/conan ]] || { python3 -m venv "$work/venv" && "$work/venv/bin/pip" --quiet install 'conan>=2,<3'; }
export CONAN_HOME=$work/home
[[ -f $CONAN_HOME/profiles/default ]] || "$work/venv/bin/conan" profile detect
# No remote, because the recipe requires no other package of Conan's. No file is built among the
# sources.
"$work/venv/bin/conan" create cmake/packaging/conan --no-remote --build=missing -s compiler.cppstd=20 \
  -c tools.cmake.cmake_layout:test_folder="$work/test" "$@"
