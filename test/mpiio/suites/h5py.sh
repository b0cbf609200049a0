# h5py in parallel, from Debian's package, with the program h5py_datasets.py.
# SPDX-License-Identifier: BSD-3-Clause
title="h5py"

get() {
  is_debian_openmpi "h5py in parallel" || return
  install_packages python3-h5py-mpi
}

build() { /usr/bin/python3 -c 'import h5py._debian_h5py_mpi, mpi4py'; }

run() {
  local ranks
  for ranks in 1 2 4; do
    try "datasets on $ranks" "$ranks" /usr/bin/python3 "$repository/test/mpiio/suites/h5py_datasets.py"
  done
}
