// The normal form of a datatype: which bytes, in which order. A regular value whose memory does not
// grow with the number of pieces, unless they are irregular. docs/develop/normal_form.md explains
// its algebra.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <argosy/layout/detail/small_array.hpp>
#include <argosy/layout/error.hpp>
#include <argosy/layout/node.hpp>
#include <argosy/layout/piece.hpp>
#include <argosy/layout/table.hpp>

namespace argosy {

class layout;

namespace detail {

class builder;
constexpr bool same_bytes_here(layout const& a, layout const& b);

template <std::size_t Nodes, std::size_t Places, std::size_t Tables, std::size_t Pieces>
struct static_form;

}  // namespace detail

class layout {
 public:
  // No bytes at all; extent 0.
  constexpr layout() noexcept = default;
  // From the content of a static layout.
  template <std::size_t Nodes, std::size_t Places, std::size_t Tables, std::size_t Pieces>
  constexpr explicit layout(detail::static_form<Nodes, Places, Tables, Pieces> const& form);

  // Bytes of data, whatever their places. Overlapping pieces count as often as they are named.
  constexpr std::int64_t size() const noexcept { return nodes_.empty() ? 0 : root().size; }
  // MPI's bounds: where the next copy would start. Set by `resized`, otherwise the hull of the
  // parts' bounds.
  constexpr std::int64_t lower_bound() const noexcept { return lower_bound_; }
  constexpr std::int64_t extent() const noexcept { return extent_; }
  constexpr std::int64_t upper_bound() const noexcept { return lower_bound_ + extent_; }
  // The hull of the bytes themselves.
  constexpr std::int64_t true_lower_bound() const noexcept {
    return nodes_.empty() ? 0 : origin_ + root().low;
  }
  constexpr std::int64_t true_upper_bound() const noexcept {
    return nodes_.empty() ? 0 : origin_ + root().high;
  }
  constexpr std::int64_t true_extent() const noexcept {
    return nodes_.empty() ? 0 : root().high - root().low;
  }

  // Maximal contiguous runs in stream order.
  constexpr std::int64_t pieces() const noexcept { return nodes_.empty() ? 0 : root().pieces; }
  constexpr bool empty() const noexcept { return nodes_.empty(); }
  constexpr bool is_contiguous() const noexcept { return pieces() <= 1; }
  // Data per byte of the true extent: 1 is dense, above 1 overlaps.
  constexpr double density() const noexcept {
    return nodes_.empty() ? 1.0 : static_cast<double>(size()) / static_cast<double>(true_extent());
  }
  // No table inside: its memory is independent of the number of pieces.
  constexpr bool is_regular() const noexcept { return tables_.empty(); }
  // Offsets never decrease along the stream: what MPI asks of a filetype. O(nodes).
  constexpr bool is_monotonic() const;
  // Some byte is named twice: not allowed in a view that is written. O(nodes) where the strides
  // nest; where pieces interleave without a rule all of them are compared: O(pieces log pieces)
  // time and memory.
  constexpr bool overlaps() const;

  // Bytes of data at offsets below `offset`, and within [from, to). O(nodes on one path) for sorted
  // layouts.
  constexpr std::int64_t bytes_before(std::int64_t offset) const;
  constexpr std::int64_t bytes_within(std::int64_t from, std::int64_t to) const {
    return to <= from ? 0 : bytes_before(to) - bytes_before(from);
  }

  // The number of the piece that holds byte `position` of the stream, 0 <= position < size().
  // O(nodes on one path).
  constexpr std::int64_t piece_at(std::int64_t position) const;

  // The tree, for walkers. Children stand before their parents; the root is last.
  constexpr std::span<node const> nodes() const noexcept { return nodes_; }
  constexpr std::span<place const> places() const noexcept { return places_; }
  constexpr std::span<detail::piece_table const> tables() const noexcept { return tables_; }
  constexpr node const& root() const noexcept { return nodes_.back(); }
  // Offset of the first piece of the stream.
  constexpr std::int64_t origin() const noexcept { return origin_; }
  // Levels below and including the root.
  constexpr std::size_t depth() const;

  // The same bytes in the same order, and the same bounds. Decided on the normal forms; two
  // different forms are walked side by side, so the answer is about bytes and never about how they
  // were described.
  friend constexpr bool operator==(layout const& a, layout const& b);
  // The same bytes in the same order; bounds may differ.
  friend constexpr bool same_bytes(layout const& a, layout const& b);

 private:
  friend class detail::builder;
  friend constexpr bool detail::same_bytes_here(layout const&, layout const&);
  friend constexpr layout resized(layout const&, std::int64_t, std::int64_t);
  friend constexpr layout at(std::int64_t, layout const&);

  // Room for a 5-D block-cyclic array, cut in every dimension, without the heap.
  detail::small_array<node, 16> nodes_;
  detail::small_array<place, 20> places_;
  std::vector<detail::piece_table> tables_;
  std::int64_t origin_ = 0;
  std::int64_t lower_bound_ = 0;
  std::int64_t extent_ = 0;
};

// --- The algebra: every layout is made by these, and comes out in normal form. ---

// n contiguous bytes.
constexpr layout bytes(std::int64_t n);
// `count` copies of `inner`, `stride` bytes apart; the stride may be negative or zero.
constexpr layout repeat(std::int64_t count, std::int64_t stride, layout const& inner);
// `inner`, moved; its bounds move with it.
constexpr layout at(std::int64_t displacement, layout const& inner);
// One after the other in the stream; each lies where it says. Bounds: the hull.
constexpr layout concat(std::span<layout const> parts);
template <std::derived_from<layout>... Layouts>
constexpr layout concat(Layouts const&... parts);
// Irregular pieces at `offsets`, of `lengths` or all of `length` bytes. A rule in them is found and
// used.
constexpr layout table(std::span<std::int64_t const> offsets,
                       std::span<std::int64_t const> lengths);
constexpr layout table(std::span<std::int64_t const> offsets, std::int64_t length);

namespace detail {

// Like `table`, but keeps referring to `offsets`, which must outlive the layout and all layouts
// made of it.
constexpr layout borrowed_table(std::span<std::int64_t const> offsets, std::int64_t length);

}  // namespace detail

// The same bytes with other bounds.
constexpr layout resized(layout const& inner, std::int64_t lower_bound, std::int64_t extent);

}  // namespace argosy

// ends with the bodies of what walks: order, overlaps, equality
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/detail/builder.hpp>  // ends with the bodies of the algebra
