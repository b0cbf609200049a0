#!/usr/bin/env bash
# Installs what is missing, builds the demo and runs it on 4 ranks, then a program on two file systems (shared_blocks); pictures and files go
# to build/release/demo/.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install_packages "${argosy_packages[@]}"
cmake --preset release >/dev/null
cmake --build --preset release --target demo shared_blocks

mkdir -p build/release/demo
cd build/release/demo
# Four ranks, on however many cores there are.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
mpiexec -n 4 ../bin/demo
echo
mpiexec -n 4 ../bin/shared_blocks
echo
echo "-- In build/release/demo/:"
ls
