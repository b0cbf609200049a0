// A cursor walks the pieces of a layout in stream order. It finds its place by stream position or
// by offset.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <argosy/extend.hpp>
#include <argosy/layout/detail/small_array.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

namespace extend {

// Evenly spaced pieces of one length. A copy loop copies one run at a time.
struct piece_run {
  std::int64_t offset = 0;  // start of the first piece
  std::int64_t length = 0;  // bytes of each piece
  std::int64_t count = 0;   // number of pieces
  std::int64_t stride = 0;  // from the start of a piece to the start of the next
};

// A position in the stream of a layout. The layout must outlive the cursor. Seeking costs one step
// per level, and a binary search in tables and records.
//
//   for (io::extend::cursor at(view); !at.done(); at.next()) use(at.current());
class cursor {
 public:
  constexpr explicit cursor(layout const& walked, std::int64_t position = 0) : layout_(&walked) {
    seek(position);
  }

  // Returns true if the cursor is at the end of the stream.
  constexpr bool done() const noexcept { return frames_.empty(); }
  // Returns the number of bytes of the stream before the cursor.
  constexpr std::int64_t position() const noexcept { return position_; }
  // Returns the rest of the piece under the cursor, from the cursor on. If done, the length is 0.
  constexpr piece current() const noexcept {
    return {leaf_.offset + within_, leaf_.length - within_};
  }
  // Returns the piece under the cursor and the pieces that follow it in the innermost repeat. Later
  // pieces may have the same length and stride and still not be in the run. In a table or concat,
  // the run is one piece. If the cursor is inside a piece, the run is the rest of that piece.
  // Precondition: not done.
  constexpr piece_run current_run() const noexcept;

  // Moves to the next piece. Precondition: not done.
  constexpr void next() { skip(1); }
  // Moves over `pieces` pieces of the current run. If the cursor is inside a piece, its rest counts
  // as one piece. Precondition: 1 <= pieces <= current_run().count.
  constexpr void skip(std::int64_t pieces);
  // Moves over `bytes` bytes of the stream, at most to its end. Precondition: not done, and bytes
  // is not negative.
  constexpr void advance(std::int64_t bytes) {
    std::int64_t const left = leaf_.length - within_;
    if (bytes > left) return seek(position_ + bytes);
    if (bytes == left) return skip(1);
    within_ += bytes;
    position_ += bytes;
  }

  // Moves to byte `position` of the stream. If that is at or behind the end, the cursor is done. If
  // it is negative, the cursor moves to byte 0.
  constexpr void seek(std::int64_t position);
  // Moves to the first byte at or after `offset`; done if there is none. Precondition: the layout
  // is_monotonic() and does not overlap. For other layouts the place is wrong, without an error.
  constexpr void seek_offset(std::int64_t offset) { seek(layout_->bytes_before(offset)); }

 private:
  struct frame {
    std::int64_t node;   // a repeat, concat or table
    std::int64_t index;  // copy, place or piece
    std::int64_t base;   // offset of the node's first piece
  };

  constexpr detail::layout_node const& at(std::int64_t i) const noexcept {
    return layout_->nodes()[static_cast<std::size_t>(i)];
  }
  // Descends from node `i` at `base` to the leaf that holds byte `rest` of the node.
  constexpr void descend(std::int64_t i, std::int64_t base, std::int64_t rest);

  layout const* layout_;
  detail::small_array<frame, 24> frames_;
  piece leaf_;               // the whole piece under the cursor
  std::int64_t within_ = 0;  // bytes of the piece before the cursor
  std::int64_t position_ = 0;
};

}  // namespace extend

constexpr void extend::cursor::seek(std::int64_t position) {
  frames_.clear();
  within_ = 0;
  leaf_ = {};
  position_ = std::clamp<std::int64_t>(position, 0, layout_->size());
  if (position_ == layout_->size()) return;
  // The lowest frame stands for the layout itself, because a layout of a single leaf needs a frame,
  // too.
  frames_.push_back({-1, 0, layout_->origin()});
  descend(static_cast<std::int64_t>(layout_->nodes().size()) - 1, layout_->origin(), position_);
}

constexpr void extend::cursor::descend(std::int64_t i, std::int64_t base, std::int64_t rest) {
  for (;;) {
    detail::layout_node const& n = at(i);
    switch (n.kind) {
      case detail::node_kind::bytes:
        leaf_ = {base, n.size};
        within_ = rest;
        return;
      case detail::node_kind::repeat: {
        std::int64_t const copy_bytes = at(n.child).size;
        std::int64_t const copy = rest < copy_bytes ? 0 : rest / copy_bytes;
        frames_.push_back({i, copy, base});
        rest -= copy * copy_bytes;
        base += copy * n.stride;
        i = n.child;
        break;
      }
      case detail::node_kind::concat: {
        auto const places = layout_->places().subspan(n.child, static_cast<std::size_t>(n.count));
        auto const after = std::upper_bound(
            places.begin() + 1, places.end(), rest,
            [](std::int64_t r, detail::layout_place const& p) { return r < p.start; });
        auto const index = after - places.begin() - 1;
        detail::layout_place const& p = places[static_cast<std::size_t>(index)];
        frames_.push_back({i, index, base});
        rest -= p.start;
        base += p.displacement;
        i = p.node;
        break;
      }
      case detail::node_kind::table: {
        detail::piece_table const& table = layout_->tables()[n.child];
        std::size_t const k = rest == 0 ? 0 : table.find(rest);
        frames_.push_back({i, static_cast<std::int64_t>(k), base});
        leaf_ = {base + table.offset(k), table.length(k)};
        within_ = rest - table.start(k);
        return;
      }
    }
  }
}

constexpr extend::piece_run extend::cursor::current_run() const noexcept {
  if (within_ > 0) return {leaf_.offset + within_, leaf_.length - within_, 1, 0};
  frame const& top = frames_.back();
  if (top.node >= 0) {
    detail::layout_node const& n = at(top.node);
    if (n.kind == detail::node_kind::repeat)
      return {leaf_.offset, leaf_.length, n.count - top.index, n.stride};
  }
  return {leaf_.offset, leaf_.length, 1, 0};
}

constexpr void extend::cursor::skip(std::int64_t pieces) {
  position_ += pieces * leaf_.length - within_;
  within_ = 0;
  for (std::int64_t step = pieces; !frames_.empty(); step = 1) {
    frame& top = frames_.back();
    if (top.node >= 0) {
      detail::layout_node const& n = at(top.node);
      top.index += step;
      if (top.index < n.count) {
        if (n.kind == detail::node_kind::repeat)
          return descend(n.child, top.base + top.index * n.stride, 0);
        if (n.kind == detail::node_kind::concat) {
          detail::layout_place const& p =
              layout_->places()[n.child + static_cast<std::size_t>(top.index)];
          return descend(p.node, top.base + p.displacement, 0);
        }
        detail::piece_table const& table = layout_->tables()[n.child];
        auto const k = static_cast<std::size_t>(top.index);
        leaf_ = {top.base + table.offset(k), table.length(k)};
        return;
      }
    }
    frames_.pop_back();
  }
  leaf_ = {};
}

}  // namespace argosy

// The members of layout that walk it. They are here because both classes are complete here,
// whichever header was included first.
#include <argosy/layout/detail/equal.hpp>
#include <argosy/layout/detail/measure.hpp>
