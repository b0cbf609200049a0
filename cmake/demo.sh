#!/usr/bin/env bash
# Installs missing packages, builds the demo and runs it on 4 ranks, then runs a program on two file
# systems (shared_blocks). Pictures and files go to build/release/demo/.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install_packages "${argosy_packages[@]}"
cmake --preset release >/dev/null
cmake --build --preset release --target demo shared_blocks

mkdir -p build/release/demo
cd build/release/demo
# All ranks are on this host. With TCP, Open MPI 5 may print that this host cannot reach itself.
export OMPI_MCA_btl=^tcp
mpiexec -n 4 ../bin/demo
echo
mpiexec -n 4 ../bin/shared_blocks
echo
echo "-- In build/release/demo/:"
ls
