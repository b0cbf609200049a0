// Arrays in .npy files, on MPI and without.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <argosy/file/file.hpp>
#include <argosy/format/npy.hpp>

namespace argosy {

template class basic_npy<mpi>;
template class basic_npy<self>;

}  // namespace argosy
