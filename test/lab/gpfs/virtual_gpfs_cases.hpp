// Shared by tests of the simulated GPFS in the virtual cluster: a small machine and a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace argosy::test {

namespace gpfs = argosy::lab::gpfs;

using bytes = std::vector<std::byte>;
constexpr std::int64_t B = 1024;
constexpr extend::open_flags create{.read = true, .write = true, .create = true};

inline gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.pagepool_bytes = 64 * B;
  m.servers = 2;
  m.lease_s = 1;
  return m;
}
inline bytes filled(std::int64_t n, int value) {
  return bytes(static_cast<std::size_t>(n), static_cast<std::byte>(value));
}

inline lab::virtual_gpfs_handle open_at(lab::virtual_gpfs const& files,
                                        std::string const& path = "f") {
  std::error_code error;
  auto h = files.open(path, create, error);
  if (error) throw std::system_error(error);
  return h;
}
inline int errno_of(std::error_code const& e) {
  return e.category() == std::system_category() ? e.value() : -1;
}

}  // namespace argosy::test
