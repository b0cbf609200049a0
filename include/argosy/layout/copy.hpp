// Copies from one layout to another without an intermediate buffer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/detail/strided.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/pack.hpp>

namespace argosy {
namespace detail {

// The result of one copy step: bytes, and the number of whole pieces of the two runs. If a piece is
// only partly done, its number is 0.
struct copied {
  std::int64_t bytes, reads, writes;
};

// Copies as much as one pair of loops can copy. The pieces have equal length, or each piece of one
// side is several pieces of the other. Otherwise the shorter of the two pieces is copied.
inline copied copy_runs(std::byte const* from, piece_run const& r, std::byte* to,
                        piece_run const& w, std::int64_t size) {
  from = moved(from, r.offset);
  to = moved(to, w.offset);
  std::int64_t const shorter = std::min(r.length, w.length), longer = std::max(r.length, w.length);
  if (shorter == longer && shorter <= size) {
    std::int64_t const count = std::min({r.count, w.count, size / shorter});
    copy_strided(to, w.stride, from, r.stride, count, shorter);
    return {count * shorter, count, count};
  }
  if (longer % shorter == 0) {
    std::int64_t const parts = longer / shorter;
    bool const splits = r.length == longer;
    piece_run const &whole = splits ? r : w, &part = splits ? w : r;
    std::int64_t const count = std::min({whole.count, part.count / parts, size / longer});
    if (count > 0) {
      if (splits)
        copy_parts(to, w.stride * parts, w.stride, from, r.stride, shorter, count, parts, shorter);
      else
        copy_parts(to, w.stride, shorter, from, r.stride * parts, r.stride, count, parts, shorter);
      return splits ? copied{count * longer, count, count * parts}
                    : copied{count * longer, count * parts, count};
    }
  }
  // Within the longer piece, the next step starts at the end of this step.
  std::int64_t const length = std::min(shorter, size);
  std::int64_t const count =
      std::min({r.length == length ? r.count : r.length / length,
                w.length == length ? w.count : w.length / length, size / length});
  copy_strided(to, w.length == length ? w.stride : length, from,
               r.length == length ? r.stride : length, count, length);
  return {count * length, r.length == length ? count : 0, w.length == length ? count : 0};
}

}  // namespace detail

// Copies `size` bytes from one layout to another: from position `from_position` of the stream of
// `from_layout` to position `to_position` of the stream of `to_layout`. The two memories must not
// overlap. The addresses `from` and `to` are those of offset 0, even if no memory lies there. Only
// the bytes that are copied must be in memory. Local. Throws invalid_layout if a position or the
// size is negative, or if a stream has fewer bytes than the range needs.
inline void copy(layout const& from_layout, void const* from, std::int64_t from_position,
                 layout const& to_layout, void* to, std::int64_t to_position, std::int64_t size) {
  if (size < 0 || from_position < 0 || to_position < 0 ||
      size > from_layout.size() - from_position || size > to_layout.size() - to_position)
    throw invalid_layout("argosy::copy: " + std::to_string(size) + " bytes from position " +
                         std::to_string(from_position) + " of " +
                         std::to_string(from_layout.size()) + " to position " +
                         std::to_string(to_position) + " of " + std::to_string(to_layout.size()) +
                         "; both layouts must hold what is copied");
  if (size == 0) return;
  if (to_layout.is_contiguous())
    return pack(from_layout, from, from_position, from_position + size,
                detail::moved(to, to_layout.origin() + to_position));
  if (from_layout.is_contiguous())
    return unpack(to_layout, detail::moved(from, from_layout.origin() + from_position), to_position,
                  to_position + size, to);

  auto const* const first_in = static_cast<std::byte const*>(from);
  auto* const first_out = static_cast<std::byte*>(to);
  extend::cursor in(from_layout, from_position), out(to_layout, to_position);
  for (int short_steps = 0; size > 0;) {
    auto const [bytes, reads, writes] =
        detail::copy_runs(first_in, in.current_run(), first_out, out.current_run(), size);
    size -= bytes;
    reads > 0 ? in.skip(reads) : in.advance(bytes);
    writes > 0 ? out.skip(writes) : out.advance(bytes);
    // Pieces cut at the ends of a range soon match again. If they do not, the data goes through a
    // buffer, at the speed of pack and unpack.
    short_steps = bytes < 512 ? short_steps + 1 : 0;
    if (short_steps == 4 && size > 0) {
      std::array<std::byte, 8192> stage;  // stays in the first-level cache
      std::int64_t const length = std::min<std::int64_t>(size, stage.size());
      pack(from_layout, from, in.position(), in.position() + length, stage.data());
      unpack(to_layout, stage.data(), out.position(), out.position() + length, to);
      size -= length;
      in.seek(in.position() + length);
      out.seek(out.position() + length);
      short_steps = 0;
    }
  }
}

// Copies all bytes of one layout to the other. Local. Throws invalid_layout if the sizes differ.
inline void copy(layout const& from_layout, void const* from, layout const& to_layout, void* to) {
  if (from_layout.size() != to_layout.size())
    throw invalid_layout("argosy::copy: layouts of " + std::to_string(from_layout.size()) +
                         " and " + std::to_string(to_layout.size()) +
                         " bytes; use the form with positions to copy a part");
  copy(from_layout, from, 0, to_layout, to, 0, from_layout.size());
}

}  // namespace argosy
