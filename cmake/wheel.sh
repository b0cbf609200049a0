#!/usr/bin/env bash
# Makes a wheel for pip of the drop-in that cmake/families.sh --portable has linked, and of the command argosy
# that runs programs on it: build/wheel/argosy-VERSION-py3-none-manylinux_2_N_x86_64.whl. The N is
# that of the newest function of glibc that the libraries need. Prints the checksum.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lib=build/families/portable
for part in openmpi mpich standard; do
  [[ -f $lib/argosy-mpiio/$part.so ]] || { echo "There is no part $part: run cmake/families.sh, and again with --portable"; exit 1; }
done
rm -rf build/wheel
mkdir -p build/wheel
python3 cmake/wheel.py "$lib" build/wheel
sha256sum build/wheel/*.whl
