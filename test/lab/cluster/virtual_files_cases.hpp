// Shared by tests of files on virtual ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/lab/cluster/file.hpp>

#include <cstdlib>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

namespace argosy::test {

using virtual_file = basic_file<lab::virtual_rank>;
using bytes = std::vector<std::byte>;
constexpr auto create = mode::create | mode::read_write;
constexpr lab::virtual_options roomy{.stack_bytes = std::size_t{512} << 10};

inline int errno_of(std::error_code const& e) {
  return e.category() == std::system_category() ? e.value() : -1;
}

inline bytes filled(std::size_t n, int value) { return bytes(n, static_cast<std::byte>(value)); }

}  // namespace argosy::test
