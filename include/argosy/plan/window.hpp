// A window: one contiguous range of the file that a plan handles as a whole.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include <argosy/extend.hpp>

namespace argosy {

enum class access_kind { read, write };

// The way in which the bytes of a window move between file and memory.
enum class transfer_mode {
  whole,   // no gaps: one call for the window
  pieces,  // a call for each piece; other bytes are not touched
  // One call for the window with its gaps. A read copies the pieces out of it, without a lock. A
  // write locks the window, reads it, inserts the pieces, writes it back and unlocks it.
  merged,
  // Pieces, but scattered memory is first copied into a buffer, so that one call has them all. This
  // is for handles whose calls cost much, whatever they move.
  gathered,
};

constexpr std::string_view name_of(transfer_mode how) noexcept {
  switch (how) {
    case transfer_mode::whole:
      return "whole";
    case transfer_mode::pieces:
      return "pieces";
    case transfer_mode::gathered:
      return "gathered";
    case transfer_mode::merged:
      break;
  }
  return "merged";
}

namespace extend {

struct window {
  std::int64_t offset = 0;    // file offset of the first requested byte
  std::int64_t length = 0;    // from there to the end of the last requested byte
  std::int64_t position = 0;  // position of the first requested byte in the view's stream
  std::int64_t wanted = 0;    // requested bytes: those of the stream from `position` on
  std::int64_t pieces = 0;
  transfer_mode how = transfer_mode::whole;

  // Returns the bytes of the gaps in the window.
  constexpr std::int64_t holes() const noexcept { return length - wanted; }
  friend constexpr bool operator==(window const&, window const&) = default;
};

}  // namespace extend

}  // namespace argosy
