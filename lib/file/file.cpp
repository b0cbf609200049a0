// Files on MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/any_world.hpp>
#include <argosy/file/file.hpp>

namespace argosy {

template class basic_file<mpi>;

}  // namespace argosy
