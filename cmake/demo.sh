#!/usr/bin/env bash
# Installs what is missing, builds the demo and runs it; its pictures go to build/release/demo/.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install_packages "${argosy_packages[@]}"
cmake --preset release >/dev/null
cmake --build --preset release --target demo

mkdir -p build/release/demo
cd build/release/demo
../bin/demo
echo
echo "-- Pictures in build/release/demo/:"
ls
