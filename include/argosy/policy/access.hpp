// An access: what one rank asks for in one call, as a policy sees it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include <argosy/layout/layout.hpp>
#include <argosy/plan/window.hpp>

namespace argosy {

// Holds references to its layouts, which must outlive it.
struct access {
  access_kind kind = access_kind::read;
  layout const& file;         // the view's stream: where each byte lies in the file; offsets never decrease
  std::int64_t position = 0;  // in that stream, where the access starts
  std::int64_t bytes = 0;
  layout const& memory;  // where the bytes lie in memory, from the start of its stream
  bool sorted = true;    // no byte of the file is named twice; if false, windows are not stretches of the file

  std::int64_t end() const noexcept { return position + bytes; }
};

// The window of stream bytes [position, position + wanted) of `file`; wanted > 0.
inline window window_of(layout const& file, std::int64_t position, std::int64_t wanted) {
  std::int64_t const first = cursor(file, position).current().offset;
  std::int64_t const last = cursor(file, position + wanted - 1).current().offset;
  window w{first,
           last + 1 - first,
           position,
           wanted,
           file.piece_at(position + wanted - 1) - file.piece_at(position) + 1,
           passage::whole};
  if (w.pieces > 1) w.how = passage::pieces;
  return w;
}

}  // namespace argosy
