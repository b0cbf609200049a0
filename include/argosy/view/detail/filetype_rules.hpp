// The rules of require_filetype, as facts about layouts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/datatype/detail/type_digest.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/view/filetype.hpp>

namespace argosy {

namespace detail {

// Returns true if all pieces are whole units. Most units are powers of two, which need no division
// for each piece.
constexpr bool is_built_of(piece_table const& pieces, std::int64_t unit) {
  bool const one_length = pieces.equal_lengths();
  if (one_length && pieces.length(0) % unit != 0) return false;
  if (std::has_single_bit(static_cast<std::uint64_t>(unit))) {
    std::int64_t bits = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) bits |= pieces.offset(i);
    pieces.with_lengths([&](auto lengths) {
      for (std::int64_t const length : lengths) bits |= length;
    });
    return (bits & (unit - 1)) == 0;
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces.offset(i) % unit != 0 || (!one_length && pieces.length(i) % unit != 0)) return false;
  return true;
}

// Returns true if every piece of `form` starts and ends at a multiple of `unit`. O(nodes),
// O(pieces) in tables.
constexpr bool is_built_of(layout const& form, std::int64_t unit) {
  if (form.origin() % unit != 0) return false;
  for (layout_node const& n : form.nodes())
    if ((n.kind == node_kind::bytes && n.size % unit != 0) || n.stride % unit != 0) return false;
  for (layout_place const& p : form.places())
    if (p.displacement % unit != 0) return false;
  for (piece_table const& t : form.tables())
    if (!is_built_of(t, unit)) return false;
  return true;
}

// Returns true if etype number k of the stream of `form` lies like an etype, at a multiple of its
// extent.
constexpr bool holds_etype(layout const& form, layout const& etype, std::int64_t k) {
  cursor at(form, k * etype.size());
  std::int64_t const shift = at.current().offset - etype.origin();
  if (shift % etype.extent() != 0) return false;
  for (cursor wanted(etype); !wanted.done();) {
    piece const want = wanted.current(), have = at.current();
    if (have.offset - shift != want.offset) return false;
    std::int64_t const together = std::min(want.length, have.length);
    wanted.advance(together);
    at.advance(together);
  }
  return true;
}

constexpr bool consists_of(layout const& form, layout const& etype) {
  if (form.size() % etype.size() != 0 || form.extent() % etype.extent() != 0) return false;
  if (form.empty() || form == etype) return true;
  if (etype.pieces() == 1 && etype.size() == etype.extent())
    return is_built_of(at(-etype.true_lower_bound(), form), etype.size());
  // For an etype with gaps, only the first and the last copy are compared, because a walk over all
  // copies would cost too much.
  return holds_etype(form, etype, 0) && holds_etype(form, etype, form.size() / etype.size() - 1);
}

// Returns true if the filetype, repeated without end, names a byte twice: two of its own bytes are
// whole extents apart. Precondition: it names no byte twice by itself, and begins at 0 or later.
// O(pieces) if copies interleave.
constexpr bool tiles_overlap(layout const& form) {
  std::int64_t const extent = form.extent();
  if (form.true_extent() <= extent) return false;
  if (form.size() > extent) return true;
  std::vector<piece> all;
  for (cursor at(form); !at.done(); at.next()) {
    piece p = at.current();
    p.offset %= extent;
    std::int64_t const beyond = p.end() - extent;
    if (beyond > 0) {
      all.push_back({0, beyond});
      p.length -= beyond;
    }
    all.push_back(p);
  }
  std::sort(all.begin(), all.end(),
            [](piece const& a, piece const& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].offset < all[i - 1].end()) return true;
  return false;
}

constexpr filetype_fault check_filetype_here(layout const& etype, layout const& filetype,
                                             bool writable) {
  using enum filetype_fault;
  if (etype.empty() || etype.extent() <= 0) return etype_empty;
  if (etype.true_lower_bound() < 0) return etype_bounds;
  if (!etype.is_monotonic()) return etype_order;
  if (filetype.true_lower_bound() < 0 || filetype.extent() < 0) return negative;
  if (!filetype.is_monotonic()) return decreasing;
  if (writable && etype.overlaps()) return etype_overlap;
  if (writable && filetype.overlaps()) return overlap;
  if (writable && detail::tiles_overlap(filetype)) return tiles_overlap;
  return consists_of(filetype, etype) ? no_fault : not_etypes;
}

namespace linked {
// The function that the library compiles; `once` chooses.
filetype_fault check_filetype(layout const& etype, layout const& filetype, bool writable);
}  // namespace linked

}  // namespace detail

constexpr detail::filetype_fault detail::check_filetype(layout const& etype, layout const& filetype,
                                                        bool writable) {
  return once([&] { return check_filetype_here(etype, filetype, writable); },
              [&] { return linked::check_filetype(etype, filetype, writable); });
}

template <argosy::detail::static_datatype Etype, argosy::detail::static_datatype Filetype>
consteval bool detail::types_agree() {
  type_digest const etype(signature_of(Etype{}), false), filetype(signature_of(Filetype{}), false);
  std::int64_t const bytes = signature_of(Etype{}).size();
  return etype.is_bytes() || filetype.is_bytes() || bytes == 0 ||
         filetype.repeats(etype, signature_of(Filetype{}).size() / bytes);
}

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/view/detail/filetype_faults.hpp>
#endif
