// Arrays in Zarr stores, on MPI and without.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <argosy/file/file.hpp>
#include <argosy/format/zarr.hpp>

namespace argosy {

template class basic_zarr<mpi>;
template class basic_zarr<self>;

}  // namespace argosy
