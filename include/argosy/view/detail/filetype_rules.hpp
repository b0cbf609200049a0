// The rules behind require_filetype, as facts about layouts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/error.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/view/filetype.hpp>

namespace argosy {

namespace detail {

// Most units are powers of two, which need no division for each piece.
constexpr bool is_built_of(piece_table const& pieces, std::int64_t unit) {
  bool const one_length = pieces.equal_lengths();
  if (one_length && pieces.length(0) % unit != 0) return false;
  if (std::has_single_bit(static_cast<std::uint64_t>(unit))) {
    std::int64_t bits = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) bits |= pieces.offset(i);
    for (std::int64_t const length : pieces.lengths()) bits |= length;
    return (bits & (unit - 1)) == 0;
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces.offset(i) % unit != 0 || (!one_length && pieces.length(i) % unit != 0)) return false;
  return true;
}

// Every piece of `form` starts and ends at a multiple of `unit`. O(nodes), O(pieces) in tables.
constexpr bool is_built_of(layout const& form, std::int64_t unit) {
  if (form.origin() % unit != 0) return false;
  for (node const& n : form.nodes())
    if ((n.kind == node_kind::bytes && n.size % unit != 0) || n.stride % unit != 0) return false;
  for (place const& p : form.places())
    if (p.displacement % unit != 0) return false;
  for (piece_table const& t : form.tables())
    if (!is_built_of(t, unit)) return false;
  return true;
}

// Etype number k of the stream of `form` lies as an etype does, at a multiple of its extent.
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
  // An etype with holes: its first and last copy are compared, as far as can be told without walking all of them.
  return holds_etype(form, etype, 0) && holds_etype(form, etype, form.size() / etype.size() - 1);
}

// The filetype, repeated without end, names a byte twice: two of its own bytes are whole extents apart. It is known to name none
// twice by itself, and to begin at 0 or later. O(pieces) where copies interleave.
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
  std::sort(all.begin(), all.end(), [](piece const& a, piece const& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].offset < all[i - 1].end()) return true;
  return false;
}

}  // namespace detail

constexpr detail::filetype_fault detail::check_filetype(layout const& etype, layout const& filetype, bool writable) {
  using enum detail::filetype_fault;
  if (etype.empty() || etype.extent() <= 0) return etype_empty;
  if (etype.true_lower_bound() < 0) return etype_bounds;
  if (!etype.is_monotonic()) return etype_order;
  if (filetype.true_lower_bound() < 0 || filetype.extent() < 0) return negative;
  if (!filetype.is_monotonic()) return decreasing;
  if (writable && etype.overlaps()) return etype_overlap;
  if (writable && filetype.overlaps()) return overlap;
  if (writable && detail::tiles_overlap(filetype)) return tiles_overlap;
  return detail::consists_of(filetype, etype) ? no_fault : not_etypes;
}

namespace detail {

[[noreturn]] inline void throw_filetype(filetype_fault fault, layout const& etype, layout const& filetype) {
  auto const bounds = [](layout const& l) {
    return "size " + std::to_string(l.size()) + ", bytes [" + std::to_string(l.true_lower_bound()) + ", " +
           std::to_string(l.true_upper_bound()) + "), bounds [" + std::to_string(l.lower_bound()) + ", " +
           std::to_string(l.upper_bound()) + ")";
  };
  auto const e = " (etype: " + bounds(etype) + ")", f = " (filetype: " + bounds(filetype) + ")";
  using enum filetype_fault;
  std::string what = "argosy::require_filetype: ";
  switch (fault) {
    case no_fault:
      break;
    case etype_empty:
      what += "the etype has no bytes" + e + "; choose one that holds data";
      break;
    case etype_bounds:
      what += "the etype has a negative displacement" + e + "; move it up";
      break;
    case etype_order:
      what += "the displacements of the etype decrease" + e + "; list its parts in the order of the file";
      break;
    case etype_overlap:
      what += "the etype names a byte twice" + e + "; open the file for reading only, or make its parts disjoint";
      break;
    case negative:
      what += "the filetype has a negative displacement or extent" + f +
              "; move it up and use the displacement of the view";
      break;
    case decreasing:
      what += "the displacements of the filetype decrease" + f +
              "; list its parts in the order of the file (a memory type may have any order)";
      break;
    case overlap:
      what += "the filetype names a byte twice, so it cannot be written" + f +
              "; make its parts disjoint, or open the file for reading only";
      break;
    case tiles_overlap:
      what += "the extent of the filetype is smaller than its data, and its copies overlap, so it cannot be written" +
              f + "; give it the extent of the whole tile with io::resized, or open the file for reading only";
      break;
    case not_etypes:
      what += "the etype does not divide the filetype" + e + f +
              "; offsets count etypes; build the filetype of whole ones (holes, too), or give set_view both, as in "
              "{io::bytes(1), filetype}, and count bytes; or give the hint argosy_lenient";
      break;
  }
  throw invalid_layout(what);
}

}  // namespace detail
}  // namespace argosy
