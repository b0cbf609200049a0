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
  layout const& file;         // the view's stream: where each byte lies in the file
  std::int64_t position = 0;  // in that stream, where the access starts
  std::int64_t bytes = 0;
  layout const& memory;  // where the bytes lie in memory, from the start of its stream
  // Offsets only increase in the file. If false, bytes are named twice or in another order, and
  // windows go by pieces.
  bool sorted = true;

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

// The same of an access. If it is not sorted, the first byte of the stream need not be the first in
// the file, nor the last the last.
inline window window_of(access const& wanted, std::int64_t position, std::int64_t bytes) {
  window w = window_of(wanted.file, position, bytes);
  if (!wanted.sorted) {
    piece const hull = detail::hull_of(wanted.file, position, position + bytes);
    w.offset = hull.offset;
    w.length = hull.length;
  }
  return w;
}

}  // namespace argosy
