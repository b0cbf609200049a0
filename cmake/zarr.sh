#!/usr/bin/env bash
# cmake/zarr.sh [NUMBER [SEED]]: round trips of NUMBER random Zarr arrays each way (300 if left out)
# with zarr-python and tensorstore. Installs these from PyPI (150 MB) into build/zarr, once. Then
# runs the test zarr_mpi on 1, 2, 3 and 7 ranks, with a share of the arrays each. The build is
# build/release, or the one that BUILD names.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh
build=${BUILD:-build/release}

has_readers() { build/zarr/bin/python3 -c 'import zarr, tensorstore' 2>/dev/null; }
if ! has_readers; then
  python3 -m venv --clear build/zarr
  build/zarr/bin/pip install --quiet zarr tensorstore xarray
  has_readers || { echo "zarr.sh: zarr or tensorstore cannot be imported" >&2; exit 1; }
fi
[[ -f $build/CMakeCache.txt ]] || cmake --preset release >/dev/null
cmake --build "$build" --target test_zarr_mpi
export ARGOSY_TEST_ZARR_TRIPS=$(((${1:-300} + 3) / 4)) ARGOSY_TEST_SEED=${2:-$(date +%s)}
for ranks in 1 2 3 7; do
  echo "-- $ranks ranks, $ARGOSY_TEST_ZARR_TRIPS arrays each way, seed $ARGOSY_TEST_SEED"
  mpiexec -n $ranks "$build/bin/test_zarr_mpi" '[trips]'
  ARGOSY_TEST_SEED=$((ARGOSY_TEST_SEED + 1))
done
