// Whether a simulation stores the bytes that programs write, or only their number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

namespace argosy::lab {

// Whether files store bytes (`real`) or only lengths and places (`none`).
//
// A run needs memory and time for each byte that it stores and copies. Its events do not depend on
// the bytes. With `none`, the same program takes the same virtual time and has the same trace, but
// the bytes that it reads are undefined.
//
// Hidden files, whose name begins with a dot, always store their bytes. The library uses them for
// its own data, such as a shared file pointer.
enum class contents { real, none };

namespace detail {

// Returns true for names such as "dir/.state.pointer".
constexpr bool is_hidden(std::string_view path) {
  std::size_t const slash = path.rfind('/');
  std::string_view const name = slash == path.npos ? path : path.substr(slash + 1);
  return name.starts_with('.');
}
constexpr bool keeps_bytes(contents c, std::string_view path) {
  return c == contents::real || is_hidden(path);
}

}  // namespace detail

}  // namespace argosy::lab
