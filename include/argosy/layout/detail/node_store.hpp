// The nodes of a layout under construction: how each is made once, and how its parts are read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/layout_node.hpp>
#include <argosy/layout/detail/small_array.hpp>
#include <argosy/layout/piece.hpp>
#include <argosy/layout/table.hpp>

namespace argosy::detail {

// A node of a store, with its first piece at `offset`.
struct item {
  std::int64_t offset;
  std::int64_t node;
  friend constexpr bool operator==(item const&, item const&) = default;
};

using item_list = small_array<item, 64>;

// Rules compare nodes by their numbers. Equal nodes have one number, except for those that `intern`
// does not search.
class node_store {
 protected:
  static constexpr std::size_t index(item i) { return static_cast<std::size_t>(i.node); }
  constexpr layout_node const& at(std::int64_t i) const {
    return nodes_[static_cast<std::size_t>(i)];
  }
  constexpr std::span<layout_place const> places_of(layout_node const& n) const {
    return std::span<layout_place const>(places_).subspan(n.child,
                                                          static_cast<std::size_t>(n.count));
  }

  // --- making nodes; equal nodes are made once ---

  constexpr std::int64_t intern(layout_node const& n) {
    // Sharing only saves memory, so a long irregular list is not searched to its beginning.
    std::size_t const searched = std::min<std::size_t>(nodes_.size(), 64);
    for (std::size_t i = nodes_.size(); i-- > nodes_.size() - searched;)
      if (nodes_[i] == n) return static_cast<std::int64_t>(i);
    nodes_.push_back(n);
    return static_cast<std::int64_t>(nodes_.size() - 1);
  }

  static constexpr layout_node piece_node(std::int64_t length) {
    return {node_kind::bytes, 0, 1, 0, length, 0, length, 1};
  }
  constexpr std::int64_t leaf(std::int64_t length) { return intern(piece_node(length)); }

  // Returns the node of copies of node `c`, which has number `child`.
  static constexpr layout_node node_of_copies(std::int64_t count, std::int64_t stride,
                                              std::int64_t child, layout_node const& c) {
    std::int64_t const last = mul(count - 1, stride);
    return {node_kind::repeat,
            static_cast<std::uint32_t>(child),
            count,
            stride,
            mul(count, c.size),
            add(std::min<std::int64_t>(0, last), c.low),
            add(std::max<std::int64_t>(0, last), c.high),
            mul(count, c.pieces)};
  }
  constexpr std::int64_t repeat_node(std::int64_t count, std::int64_t stride, std::int64_t child) {
    return intern(node_of_copies(count, stride, child, at(child)));
  }

  constexpr std::int64_t table_node(piece_table table) {
    layout_node const n{node_kind::table,
                        static_cast<std::uint32_t>(tables_.size()),
                        static_cast<std::int64_t>(table.size()),
                        0,
                        table.bytes(),
                        table.low(),
                        table.high(),
                        static_cast<std::int64_t>(table.size())};
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].kind == node_kind::table && tables_[nodes_[i].child] == table)
        return static_cast<std::int64_t>(i);
    tables_.push_back(std::move(table));
    nodes_.push_back(n);
    return static_cast<std::int64_t>(nodes_.size() - 1);
  }

  // Returns one node for the list, with its first piece at 0.
  constexpr std::int64_t to_node(item_list const& list) {
    if (list.size() == 1) return list[0].node;
    std::int64_t const origin = list[0].offset;
    std::uint32_t const first = static_cast<std::uint32_t>(places_.size());
    layout_node n{node_kind::concat, first, static_cast<std::int64_t>(list.size()), 0, 0, 0, 0, 0};
    for (item i : list) {
      layout_node const& part = at(i.node);
      std::int64_t const displacement = sub(i.offset, origin);
      places_.push_back({displacement, n.size, i.node});
      n.size = add(n.size, part.size);
      n.low = std::min(n.low, add(displacement, part.low));
      n.high = std::max(n.high, add(displacement, part.high));
      n.pieces = add(n.pieces, part.pieces);
    }
    auto const fresh = places_of(n);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      layout_node const& other = nodes_[i];
      if (other.kind != node_kind::concat || other.count != n.count || other.size != n.size)
        continue;
      auto const places = places_of(other);
      if (!std::equal(places.begin(), places.end(), fresh.begin())) continue;
      places_.truncate(first);
      return static_cast<std::int64_t>(i);
    }
    nodes_.push_back(n);
    return static_cast<std::int64_t>(nodes_.size() - 1);
  }

  constexpr void append_bytes(item_list& out, std::int64_t offset, std::int64_t length) {
    if (length > 0) out.push_back({offset, leaf(length)});
  }

  constexpr void append_table(item_list& out, piece_table table, std::int64_t offset) {
    out.push_back({offset, table_node(std::move(table))});
  }

  // --- looking into nodes ---

  // Appends the items of a node: the members of a concat, or the node itself.
  constexpr void append_items(item_list& out, std::int64_t offset, std::int64_t i) const {
    layout_node const& n = at(i);
    if (n.kind != node_kind::concat) {
      out.push_back({offset, i});
      return;
    }
    for (layout_place const& p : places_of(n)) out.push_back({add(offset, p.displacement), p.node});
  }

  constexpr std::int64_t first_length(std::int64_t i) const {
    for (;;) {
      layout_node const& n = at(i);
      if (n.kind == node_kind::bytes) return n.size;
      if (n.kind == node_kind::table) return tables_[n.child].length(0);
      i = n.kind == node_kind::repeat ? n.child : places_[n.child].node;
    }
  }

  constexpr piece last_piece(item i) const {
    for (;;) {
      layout_node const& n = at(i.node);
      if (n.kind == node_kind::bytes) return {i.offset, n.size};
      if (n.kind == node_kind::table) {
        piece const last = tables_[n.child][static_cast<std::size_t>(n.count - 1)];
        return {i.offset + last.offset, last.length};
      }
      if (n.kind == node_kind::repeat) {
        i = {i.offset + (n.count - 1) * n.stride, n.child};
      } else {
        layout_place const& last = places_of(n).back();
        i = {i.offset + last.displacement, last.node};
      }
    }
  }

  // Appends all of `i` but its first piece.
  constexpr void append_rest(item_list& out, item i) {
    layout_node const n = at(i.node);
    if (n.kind == node_kind::repeat) {
      append_rest(out, {i.offset, n.child});
      append_copies(out, i.offset + n.stride, n.count - 1, n);
    } else if (n.kind == node_kind::concat) {
      append_rest(out, {i.offset, places_[n.child].node});
      for (std::size_t k = 1; k < static_cast<std::size_t>(n.count); ++k) {
        layout_place const p = places_[n.child + k];
        append_items(out, i.offset + p.displacement, p.node);
      }
    } else if (n.kind == node_kind::table) {
      append_pieces(out, tables_[n.child], i.offset, 1, static_cast<std::size_t>(n.count));
    }
  }

  // Appends all of `i` but its last piece.
  constexpr void append_without_last(item_list& out, item i) {
    layout_node const n = at(i.node);
    if (n.kind == node_kind::repeat) {
      append_copies(out, i.offset, n.count - 1, n);
      append_without_last(out, {i.offset + (n.count - 1) * n.stride, n.child});
    } else if (n.kind == node_kind::concat) {
      std::size_t const last = static_cast<std::size_t>(n.count) - 1;
      for (std::size_t k = 0; k < last; ++k) {
        layout_place const p = places_[n.child + k];
        append_items(out, i.offset + p.displacement, p.node);
      }
      layout_place const p = places_[n.child + last];
      append_without_last(out, {i.offset + p.displacement, p.node});
    } else if (n.kind == node_kind::table) {
      append_pieces(out, tables_[n.child], i.offset, 0, static_cast<std::size_t>(n.count) - 1);
    }
  }

  // Appends `count` copies of the child of a repeat.
  constexpr void append_copies(item_list& out, std::int64_t offset, std::int64_t count,
                               layout_node const& repeated) {
    if (count == 1)
      append_items(out, offset, repeated.child);
    else if (count > 1)
      out.push_back({offset, repeat_node(count, repeated.stride, repeated.child)});
  }

  constexpr void append_pieces(item_list& out, piece_table const& pieces, std::int64_t offset,
                               std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to; ++k)
      append_bytes(out, offset + pieces.offset(k), pieces.length(k));
  }

  small_array<layout_node, 48> nodes_;
  small_array<layout_place, 64> places_;
  std::vector<piece_table> tables_;
};

}  // namespace argosy::detail
