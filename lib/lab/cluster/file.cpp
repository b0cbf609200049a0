// Files on virtual ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/file.hpp>

#include <argosy/file/any_world.hpp>

namespace argosy {

template class basic_file<lab::virtual_rank>;

}  // namespace argosy
