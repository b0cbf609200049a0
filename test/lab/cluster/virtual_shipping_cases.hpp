// Shared by tests of data shipping on virtual ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

namespace argosy::test {

inline constexpr lab::virtual_options roomy{.stack_bytes = std::size_t{1} << 20};
using virtual_file = basic_file<lab::virtual_rank>;

}  // namespace argosy::test
