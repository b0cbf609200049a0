// A file, opened together by virtual ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/basic_file.hpp>
#include <argosy/lab/cluster/rank.hpp>

namespace argosy {

extern template class basic_file<lab::virtual_rank>;

namespace lab {

// As io::file; its world is what virtual_cluster::run gives to each rank, its opener that of
// virtual files.
using virtual_file = basic_file<virtual_rank>;

}  // namespace lab
}  // namespace argosy
