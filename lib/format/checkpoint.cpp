// Checkpoints, on MPI and without.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <argosy/file/file.hpp>
#include <argosy/format/checkpoint.hpp>

namespace argosy {

template class basic_checkpoint<mpi>;
template class basic_checkpoint<self>;

}  // namespace argosy
