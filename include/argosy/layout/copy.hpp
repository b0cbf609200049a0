// Copy from one layout to another without an intermediate buffer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/detail/layout/strided.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/pack.hpp>

namespace argosy {

// Copies `size` bytes: those from stream position `from_position` of `from_layout` on go to the places of `to_layout` from
// `to_position` on. The two memories must not overlap.
inline void copy(layout const& from_layout, void const* from, std::int64_t from_position, layout const& to_layout, void* to,
                 std::int64_t to_position, std::int64_t size) {
  if (size < 0 || from_position < 0 || to_position < 0 || size > from_layout.size() - from_position ||
      size > to_layout.size() - to_position)
    throw invalid_layout("argosy::copy: " + std::to_string(size) + " bytes from position " + std::to_string(from_position) +
                         " of " + std::to_string(from_layout.size()) + " to position " + std::to_string(to_position) +
                         " of " + std::to_string(to_layout.size()) + "; both layouts must hold what is copied");
  if (size == 0) return;
  auto const* const source = static_cast<std::byte const*>(from);
  auto* const target = static_cast<std::byte*>(to);
  if (to_layout.is_contiguous())
    return pack(from_layout, from, from_position, from_position + size, target + to_layout.origin() + to_position);
  if (from_layout.is_contiguous())
    return unpack(to_layout, source + from_layout.origin() + from_position, to_position, to_position + size, to);

  cursor in(from_layout, from_position), out(to_layout, to_position);
  while (size > 0) {
    run const r = in.current_run(), w = out.current_run();
    // The shorter piece sets the step; within a longer piece the next step starts where this one ends.
    std::int64_t const length = std::min({r.length, w.length, size});
    bool const read_steps = r.length == length, write_steps = w.length == length;
    std::int64_t const reads = read_steps ? r.count : r.length / length;
    std::int64_t const writes = write_steps ? w.count : w.length / length;
    std::int64_t const count = std::min({reads, writes, size / length});
    detail::copy_strided(target + w.offset, write_steps ? w.stride : length, source + r.offset,
                         read_steps ? r.stride : length, count, length);
    size -= count * length;
    read_steps ? in.skip(count) : in.advance(count * length);
    write_steps ? out.skip(count) : out.advance(count * length);
  }
}

// All of it: both layouts have the same size.
inline void copy(layout const& from_layout, void const* from, layout const& to_layout, void* to) {
  if (from_layout.size() != to_layout.size())
    throw invalid_layout("argosy::copy: layouts of " + std::to_string(from_layout.size()) + " and " +
                         std::to_string(to_layout.size()) + " bytes; use the form with positions to copy a part");
  copy(from_layout, from, 0, to_layout, to, 0, from_layout.size());
}

}  // namespace argosy
