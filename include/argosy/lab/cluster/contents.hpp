// Whether a simulation keeps the bytes that programs write, or only counts them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

namespace argosy::lab {

// A run costs memory and time for every byte that it stores and copies; what happens when does not
// depend on them. With `none` files, pages and messages know lengths and places only: the same
// program takes the same virtual time, with the same trace, and what it reads means nothing.
//
// Files whose name begins with a dot keep their bytes: they hold what the library itself writes
// down beside a file, such as a shared file pointer.
enum class contents { real, none };

// True for names such as "dir/.state.pointer".
constexpr bool is_hidden(std::string_view path) {
  std::size_t const slash = path.rfind('/');
  std::string_view const name = slash == path.npos ? path : path.substr(slash + 1);
  return name.starts_with('.');
}
constexpr bool keeps_bytes(contents c, std::string_view path) {
  return c == contents::real || is_hidden(path);
}

}  // namespace argosy::lab
