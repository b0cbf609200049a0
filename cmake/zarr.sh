#!/usr/bin/env bash
# cmake/zarr.sh [NUMBER [SEED [KILLS]]]: round trips of NUMBER random Zarr arrays each way (300 if
# left out) with zarr-python and tensorstore, and a group that xarray opens. Installs these from PyPI
# (250 MB) into build/zarr, once. Runs the test zarr_mpi on 1 to 7 ranks, with a share of the arrays
# each, and prints which version of which library read how many arrays with which feature. Then kills
# ranks of the three programs with Zarr arrays KILLS times each (0 if left out), and reads by
# zarr-python what is left. The build is build/release, or the one that BUILD names.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh
build=${BUILD:-build/release}
python=build/zarr/bin/python3

has_readers() { $python -c 'import zarr, tensorstore, xarray, fsspec' 2>/dev/null; }
if ! has_readers; then
  python3 -m venv --clear build/zarr
  build/zarr/bin/pip install --quiet zarr tensorstore xarray fsspec
  has_readers || { echo "zarr.sh: a package of Python cannot be imported" >&2; exit 1; }
fi
[[ -f $build/CMakeCache.txt ]] || cmake --preset release >/dev/null
cmake --build "$build" --target test_zarr_mpi
export ARGOSY_TEST_ZARR_TRIPS=$(((${1:-300} + 6) / 7)) ARGOSY_TEST_SEED=${2:-$(date +%s)}
export ARGOSY_TEST_ZARR_TABLE=$PWD/build/zarr/features.json
rm -f "$ARGOSY_TEST_ZARR_TABLE"
for ranks in 1 2 3 4 5 6 7; do
  echo "-- $ranks ranks, $ARGOSY_TEST_ZARR_TRIPS arrays each way, seed $ARGOSY_TEST_SEED"
  mpiexec -n $ranks "$build/bin/test_zarr_mpi" '[trips]'
  ARGOSY_TEST_SEED=$((ARGOSY_TEST_SEED + 1))
done
echo "Arrays with each feature, $(date +%F):"
$python test/format/zarr_check.py table "$ARGOSY_TEST_ZARR_TABLE"
((${3:-0} == 0)) && exit
cmake --build "$build" --target test_kills
"$build/bin/test_kills" --count "$3" --look "$python test/kills/zarr_look.py" \
  zarr_saves zarr_writes zarr_grows
