// Equality of layouts. It depends on the bytes and their order, not on their description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/detail/linked.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

namespace detail {

namespace linked {
// the function that the library compiles; `once` chooses
bool same_bytes(layout const& a, layout const& b);
}  // namespace linked

constexpr bool same_bytes_here(layout const& a, layout const& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  if (a.size() != b.size() || a.pieces() != b.pieces() || a.origin() != b.origin() ||
      a.root().low != b.root().low || a.root().high != b.root().high)
    return false;
  if (a.nodes_ == b.nodes_ && a.places_ == b.places_ && a.tables_ == b.tables_) return true;
  // The forms differ, but may have the same bytes: compare whole runs at a time.
  cursor x(a), y(b);
  while (!x.done() && !y.done()) {
    piece_run const p = x.current_run(), q = y.current_run();
    if (p.offset != q.offset || p.length != q.length) return false;
    std::int64_t const together = p.stride == q.stride ? std::min(p.count, q.count) : 1;
    x.skip(together);
    y.skip(together);
  }
  return x.done() && y.done();
}

}  // namespace detail

constexpr bool same_bytes(layout const& a, layout const& b) {
  return detail::once([&] { return detail::same_bytes_here(a, b); },
                      [&] { return detail::linked::same_bytes(a, b); });
}

constexpr bool operator==(layout const& a, layout const& b) {
  return a.lower_bound_ == b.lower_bound_ && a.extent_ == b.extent_ && same_bytes(a, b);
}

}  // namespace argosy
