// io::zarr: an array in a Zarr store, on MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/file.hpp>
#include <argosy/format/basic_zarr.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy {

// An array in a Zarr store on MPI. Without MPI: io::basic_zarr<io::self>.
using zarr = basic_zarr<mpi>;

extern template class basic_zarr<mpi>;
extern template class basic_zarr<self>;

}  // namespace argosy
