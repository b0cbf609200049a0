// The normal form of a datatype: which bytes, in which order. A regular value. Its memory does not
// grow with the number of pieces, unless they are irregular. docs/develop/normal_form.md explains
// its algebra.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <argosy/layout/detail/layout_node.hpp>
#include <argosy/layout/detail/small_array.hpp>
#include <argosy/layout/error.hpp>
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
  // Makes a layout without bytes, with extent 0.
  constexpr layout() noexcept = default;
  // Makes a layout from the content of a static layout.
  template <std::size_t Nodes, std::size_t Places, std::size_t Tables, std::size_t Pieces>
  constexpr explicit layout(detail::static_form<Nodes, Places, Tables, Pieces> const& form);

  // Returns the number of bytes of data. Overlapping pieces count as often as they are named.
  constexpr std::int64_t size() const noexcept { return nodes_.empty() ? 0 : root().size; }
  // Returns MPI's bounds: the next copy starts one extent further. The bounds are set by `resized`,
  // and are otherwise the hull of the parts' bounds.
  constexpr std::int64_t lower_bound() const noexcept { return lower_bound_; }
  constexpr std::int64_t extent() const noexcept { return extent_; }
  constexpr std::int64_t upper_bound() const noexcept { return lower_bound_ + extent_; }
  // Returns the hull of the bytes themselves. All three are 0 for a layout without bytes.
  constexpr std::int64_t true_lower_bound() const noexcept {
    return nodes_.empty() ? 0 : origin_ + root().low;
  }
  constexpr std::int64_t true_upper_bound() const noexcept {
    return nodes_.empty() ? 0 : origin_ + root().high;
  }
  constexpr std::int64_t true_extent() const noexcept {
    return nodes_.empty() ? 0 : root().high - root().low;
  }

  // Returns the number of maximal contiguous runs in stream order.
  constexpr std::int64_t pieces() const noexcept { return nodes_.empty() ? 0 : root().pieces; }
  constexpr bool empty() const noexcept { return nodes_.empty(); }
  // Returns true if there is one piece, or none. Bounds may differ from those of the piece.
  constexpr bool is_contiguous() const noexcept { return pieces() <= 1; }
  // Returns the bytes of data per byte of the true extent. Without overlap, 1 means no gaps. A
  // value above 1 proves overlap. A layout without bytes has 1.
  constexpr double density() const noexcept {
    return nodes_.empty() ? 1.0 : static_cast<double>(size()) / static_cast<double>(true_extent());
  }
  // Returns true if the layout has no table. Its memory is then independent of the number of
  // pieces.
  constexpr bool is_regular() const noexcept { return tables_.empty(); }
  // Returns true if offsets never decrease along the stream, which MPI requires of a filetype.
  // O(nodes).
  constexpr bool is_monotonic() const;
  // Returns true if a byte is named twice, which a view that is written must not do. O(nodes) if
  // the strides nest. If pieces interleave without a rule, all of them are compared: O(pieces log
  // pieces) time and memory.
  constexpr bool overlaps() const;

  // Returns the number of bytes of data at offsets below `offset`, and within [from, to). Right for
  // every layout; a byte counts as often as it is named. O(nodes on one path) if copies neither
  // overlap nor decrease.
  constexpr std::int64_t bytes_before(std::int64_t offset) const;
  constexpr std::int64_t bytes_within(std::int64_t from, std::int64_t to) const {
    return to <= from ? 0 : bytes_before(to) - bytes_before(from);
  }

  // Returns the number of the piece that holds byte `position` of the stream, 0 <= position <
  // size(). O(nodes on one path).
  constexpr std::int64_t piece_at(std::int64_t position) const;

  // Returns the tree, for code that walks it. Children stand before their parents; the root is
  // last. A layout without bytes has no nodes, and then root() must not be called. Valid until the
  // layout is destroyed or assigned to.
  constexpr std::span<detail::layout_node const> nodes() const noexcept { return nodes_; }
  constexpr std::span<detail::layout_place const> places() const noexcept { return places_; }
  constexpr std::span<detail::piece_table const> tables() const noexcept { return tables_; }
  constexpr detail::layout_node const& root() const noexcept { return nodes_.back(); }
  // Returns the offset of the first piece of the stream; 0 if there is none.
  constexpr std::int64_t origin() const noexcept { return origin_; }
  // Returns the number of levels, including the root.
  constexpr std::size_t depth() const;

  // Returns true if both have the same bytes in the same order, and the same bounds. The normal
  // forms are compared. If they differ, both are walked, so the result depends on the bytes and
  // never on their description.
  friend constexpr bool operator==(layout const& a, layout const& b);
  // Returns true if both have the same bytes in the same order. Bounds may differ.
  friend constexpr bool same_bytes(layout const& a, layout const& b);

 private:
  friend class detail::builder;
  friend constexpr bool detail::same_bytes_here(layout const&, layout const&);

  // Room for a 5-D block-cyclic array that is cut in every dimension, without the heap.
  detail::small_array<detail::layout_node, 16> nodes_;
  detail::small_array<detail::layout_place, 20> places_;
  std::vector<detail::piece_table> tables_;
  std::int64_t origin_ = 0;
  std::int64_t lower_bound_ = 0;
  std::int64_t extent_ = 0;
};

// --- The algebra: these functions make every layout, in normal form. ---
//
// All are local. They throw invalid_layout if a number of bytes, count or length is negative. They
// also throw it if the result has 2^63 bytes or more, or would span as many.

// Returns n contiguous bytes.
constexpr layout bytes(std::int64_t n);
// Returns `count` copies of `inner`, `stride` bytes apart. The stride may be negative or zero.
constexpr layout repeat(std::int64_t count, std::int64_t stride, layout const& inner);
// Returns `inner`, moved by `displacement`. Its bounds move with it.
constexpr layout at(std::int64_t displacement, layout const& inner);
// Returns the parts one after the other in the stream. No part is moved. The bounds are the hull of
// the parts' bounds.
constexpr layout concat(std::span<layout const> parts);
template <std::derived_from<layout>... Layouts>
constexpr layout concat(Layouts const&... parts);
// Returns irregular pieces at `offsets`, with `lengths` or all of `length` bytes. Pieces of length
// 0 are left out. If the pieces follow a rule, the rule is found and used. Throws invalid_layout if
// the lists differ in size. Does not refer to the lists afterwards.
constexpr layout table(std::span<std::int64_t const> offsets,
                       std::span<std::int64_t const> lengths);
constexpr layout table(std::span<std::int64_t const> offsets, std::int64_t length);

namespace detail {

// Like `table`, but refers to `offsets`, which must outlive the layout and all layouts made of it.
// A short list, or a list of pieces that join, is copied nevertheless.
constexpr layout borrowed_table(std::span<std::int64_t const> offsets, std::int64_t length);

}  // namespace detail

// Returns the bytes of `inner` with other bounds, which need not contain the data. The extent may
// be negative. Throws invalid_layout if bytes and bounds together span 2^63 or more.
constexpr layout resized(layout const& inner, std::int64_t lower_bound, std::int64_t extent);

}  // namespace argosy

// At its end: the functions that walk a layout (order, overlaps, equality).
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/detail/builder.hpp>  // At its end: the functions of the algebra.
