// HDF5 files, on MPI and without.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <argosy/file/file.hpp>
#include <argosy/format/hdf5.hpp>

namespace argosy {

template class basic_hdf5<mpi>;
template class basic_hdf5<self>;

}  // namespace argosy
