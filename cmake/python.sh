#!/usr/bin/env bash
# cmake/python.sh [SEED]: builds the module argosy for python3 in build/python-module/package, and
# runs its tests on 1, 2, 3 and 4 ranks. Installs nanobind, mpi4py and NumPy from PyPI into
# build/python-env, once. The module needs no MPI; the tests run on the MPI library of mpiexec.
#   cmake/python.sh --build   builds the module only
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh
env=build/python-env module=build/python-module

has_packages() { "$env/bin/python3" -c 'import nanobind, mpi4py, numpy' 2>/dev/null; }
if ! has_packages; then
  install_packages python3-venv
  python3 -m venv --clear "$env"
  "$env/bin/pip" install --quiet nanobind mpi4py numpy
  has_packages || { echo "python.sh: nanobind, mpi4py or numpy cannot be imported" >&2; exit 1; }
fi
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake -G Ninja -S lib/python/module -B "$module" -DCMAKE_BUILD_TYPE=Release "${launcher[@]}" \
  -DPython_EXECUTABLE="$PWD/$env/bin/python3" >/dev/null
cmake --build "$module"
[[ ${1-} == --build ]] && exit
export PYTHONPATH=$PWD/$module/package
seed=${1:-$(date +%s)}
for ranks in 1 2 3 4; do
  mpiexec -n $ranks "$env/bin/python3" test/python/module.py $((seed + ranks))
done
mpiexec -n 2 "$env/bin/python3" test/python/page.py
