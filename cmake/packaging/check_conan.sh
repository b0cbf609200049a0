#!/usr/bin/env bash
# Makes the Conan package, and builds and runs a program against it; the client comes from PyPI, into a place of its own:
#   cmake/packaging/check_conan.sh [WORK]     default: build/conan
# Not one of the ordinary tests: it asks the network, and compiles the library once more.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=${1:-build/conan}
mkdir -p "$work" && work=$(realpath "$work")
[[ -x $work/venv/bin/conan ]] || { python3 -m venv "$work/venv" && "$work/venv/bin/pip" --quiet install 'conan>=2,<3'; }
export CONAN_HOME=$work/home
[[ -f $CONAN_HOME/profiles/default ]] || "$work/venv/bin/conan" profile detect
"$work/venv/bin/conan" create cmake/packaging/conan -s compiler.cppstd=20 --build=missing "${@:2}"
echo "the package was made, and a program runs with it"
