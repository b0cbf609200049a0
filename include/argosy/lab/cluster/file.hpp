// A file, opened together by virtual ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/basic_file.hpp>
#include <argosy/lab/cluster/rank.hpp>

namespace argosy {

extern template class basic_file<lab::virtual_rank>;

namespace lab {

// A file of virtual ranks, with the members of io::file. Its world is the rank that
// virtual_cluster::run passes to the program. Its opener is `opener()` of virtual_files or
// virtual_gpfs.
using virtual_file = basic_file<virtual_rank>;

}  // namespace lab
}  // namespace argosy
