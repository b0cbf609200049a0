// What an offset of seek counts from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace argosy {

enum class seek_from : std::uint8_t {
  start,    // of the view
  current,  // the pointer as it stands
  end,      // of the file: the first etype that starts at or after it
};

constexpr std::string_view to_string(seek_from from) noexcept {
  return from == seek_from::start ? "start" : from == seek_from::current ? "current" : "end";
}

// As the displacement of a view of a sequential file: where the shared pointer stands.
inline constexpr std::int64_t current_displacement = -54278278;

}  // namespace argosy
