// The kinds of calls of a file, for decorators that count, break and trace them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace argosy {

enum class file_call {
  open,
  read,
  write,
  lock,
  unlock,
  size,
  resize,
  preallocate,
  sync,
  close,
  fcntl
};

namespace detail {
inline constexpr std::size_t file_call_count = 11;
}  // namespace detail

constexpr std::string_view to_string(file_call call) noexcept {
  constexpr std::array<std::string_view, detail::file_call_count> names{
      "open",   "read",        "write", "lock",  "unlock", "size",
      "resize", "preallocate", "sync",  "close", "fcntl"};
  return names[static_cast<std::size_t>(call)];
}

}  // namespace argosy
