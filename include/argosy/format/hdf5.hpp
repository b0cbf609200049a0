// io::hdf5: a file that h5py, netCDF-4 and ParaView open, on MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/file.hpp>
#include <argosy/format/basic_hdf5.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy {

// An HDF5 file on MPI. Without MPI: io::basic_hdf5<io::self>.
using hdf5 = basic_hdf5<mpi>;

extern template class basic_hdf5<mpi>;
extern template class basic_hdf5<self>;

}  // namespace argosy
