// The place from which seek counts an offset.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include <argosy/extend.hpp>

namespace argosy {

enum class seek_from : std::uint8_t {
  start,    // the start of the view
  current,  // the current position of the pointer
  end,      // the end of the file: the first etype that starts at or after it
};

constexpr std::string_view to_string(seek_from from) noexcept {
  return from == seek_from::start ? "start" : from == seek_from::current ? "current" : "end";
}

namespace extend {

// The displacement that set_view needs for a sequential file, and refuses for any other. The view
// then begins at the position of the shared pointer.
inline constexpr std::int64_t current_displacement = -54278278;

}  // namespace extend

}  // namespace argosy
