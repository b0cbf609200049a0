// Shared by tests of decorators: files, and data to write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/handle/posix.hpp>

#include <sys/vfs.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "support/catch.hpp"

namespace argosy::test {

using namespace extend;

constexpr open_flags read_write{.read = true, .write = true, .create = true};

template <openable H = posix>
H opened(std::string const& path) {
  std::error_code error;
  H f = H::open(path, read_write, error);
  REQUIRE_FALSE(error);
  return f;
}

inline std::vector<std::byte> const data(100, std::byte{'x'});

inline std::vector<write_part> parts_of(std::vector<std::int64_t> const& offsets,
                                        std::size_t bytes) {
  std::vector<write_part> parts;
  for (std::int64_t const o : offsets) parts.push_back({o, std::span(data).first(bytes)});
  return parts;
}

}  // namespace argosy::test
