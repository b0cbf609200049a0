// Files of one rank, without MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/any_world.hpp>
#include <argosy/world/self.hpp>

namespace argosy {

template class basic_file<self>;

}  // namespace argosy
