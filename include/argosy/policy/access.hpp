// An access: the request of one rank in one call, as a policy sees it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include <argosy/extend.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/plan/window.hpp>

namespace argosy {

// The request of one rank in one call. It refers to its layouts, which must outlive it.
struct access {
  access_kind kind = access_kind::read;
  layout const& file;         // the view's stream: the place of each byte in the file
  std::int64_t position = 0;  // start of the access in that stream
  std::int64_t bytes = 0;
  layout const& memory;  // places of the bytes in memory, from the start of its stream
  // True if offsets only increase in the file. If false, bytes are named twice or in another order,
  // and windows are accessed piece by piece.
  bool sorted = true;

  constexpr std::int64_t end() const noexcept { return position + bytes; }
};

namespace extend {

// Returns the shortest window with the stream bytes [position, position + wanted) of `file`. It is
// accessed whole if it has one piece, otherwise by pieces. Preconditions: wanted > 0, and offsets
// only increase.
constexpr window window_of(layout const& file, std::int64_t position, std::int64_t wanted) {
  bool const all = position == 0 && wanted == file.size();
  auto const first = all ? detail::byte_place{file.origin(), 0} : detail::place_of(file, position);
  auto const last = all ? detail::byte_place{file.true_upper_bound() - 1, file.pieces() - 1}
                        : detail::place_of(file, position + wanted - 1);
  window w{first.offset, last.offset + 1 - first.offset, position,
           wanted,       last.piece - first.piece + 1,   transfer_mode::whole};
  if (w.pieces > 1) w.how = transfer_mode::pieces;
  return w;
}

// Returns the window of `bytes` bytes of an access. If the access is not sorted, the first byte of
// the stream need not be the first in the file, nor the last the last.
constexpr window window_of(access const& wanted, std::int64_t position, std::int64_t bytes) {
  window w = window_of(wanted.file, position, bytes);
  if (!wanted.sorted) {
    piece const hull = detail::hull_of(wanted.file, position, position + bytes);
    w.offset = hull.offset;
    w.length = hull.length;
  }
  return w;
}

}  // namespace extend

}  // namespace argosy
