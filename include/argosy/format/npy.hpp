// io::npy: an array in a .npy file, on MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/file.hpp>
#include <argosy/format/basic_npy.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy {

// An array in a .npy file on MPI. Without MPI: io::basic_npy<io::self>.
using npy = basic_npy<mpi>;

extern template class basic_npy<mpi>;
extern template class basic_npy<self>;

}  // namespace argosy
