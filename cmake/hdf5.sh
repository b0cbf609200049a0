#!/usr/bin/env bash
# cmake/hdf5.sh [NUMBER [SEED]]: round trips of NUMBER random HDF5 files each way (300 if left out)
# with h5py; h5dump and pyfive read what was written, too. Installs h5py, netCDF4, xarray, pyfive,
# hdf5plugin and VTK from PyPI (300 MB) into build/hdf5, once, and Debian's hdf5-tools. Then runs the
# test hdf5_mpi on 1, 2, 3 and 7 ranks, with a share of the files each. The build is build/release,
# or the one that BUILD names.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh
build=${BUILD:-build/release}

command -v h5dump >/dev/null || install_packages hdf5-tools
has_readers() { build/hdf5/bin/python3 -c 'import h5py, hdf5plugin, netCDF4, pyfive, xarray, vtk' 2>/dev/null; }
if ! has_readers; then
  python3 -m venv --clear build/hdf5
  build/hdf5/bin/pip install --quiet h5py hdf5plugin netCDF4 pyfive xarray vtk
  has_readers || { echo "hdf5.sh: h5py or another package cannot be imported" >&2; exit 1; }
fi
[[ -f $build/CMakeCache.txt ]] || cmake --preset release >/dev/null
cmake --build "$build" --target test_hdf5_mpi
export ARGOSY_TEST_HDF5_TRIPS=$(((${1:-300} + 3) / 4)) ARGOSY_TEST_SEED=${2:-$(date +%s)}
for ranks in 1 2 3 7; do
  echo "-- $ranks ranks, $ARGOSY_TEST_HDF5_TRIPS files each way, seed $ARGOSY_TEST_SEED"
  mpiexec -n $ranks "$build/bin/test_hdf5_mpi" '[trips]'
  ARGOSY_TEST_SEED=$((ARGOSY_TEST_SEED + 1))
done
