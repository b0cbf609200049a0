// A window: one stretch of the file that a plan treats as a whole.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace argosy {

enum class access_kind { read, write };

// How the bytes of a window move between file and memory.
enum class passage {
  whole,   // no holes: one call for the window
  pieces,  // a call for each piece; what nobody asked for is not touched
  // the window as one: read it, take or put the pieces, and write it back, locked meanwhile
  merged,
};

constexpr std::string_view name_of(passage how) noexcept {
  switch (how) {
    case passage::whole:
      return "whole";
    case passage::pieces:
      return "pieces";
    case passage::merged:
      break;
  }
  return "merged";
}

struct window {
  std::int64_t offset = 0;    // of the first wanted byte, in the file
  std::int64_t length = 0;    // from there to the end of the last wanted byte
  std::int64_t position = 0;  // of the first wanted byte in the view's stream
  std::int64_t wanted = 0;    // wanted bytes: those of the stream from `position` on
  std::int64_t pieces = 0;
  passage how = passage::whole;

  constexpr std::int64_t holes() const noexcept { return length - wanted; }
  friend constexpr bool operator==(window const&, window const&) = default;
};

}  // namespace argosy
