// Rules of the normal form that need no other rule: open a list, continue a repeat, make a table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/compact_numbers.hpp>
#include <argosy/layout/detail/loose_pieces.hpp>
#include <argosy/layout/detail/node_store.hpp>

namespace argosy::detail {

// The rules; `builder` has their order.
class list_rules : protected node_store {
 public:
  // Lists longer than this become a table when their items are irregular pieces.
  static constexpr std::size_t longest_concat = 16;

 protected:
  // Opens the items of a list. A list of few pieces is opened down to its pieces, so that its form
  // depends on the bytes alone. In a longer list, pairs, records and tables are opened, because
  // their parts may belong to runs with their neighbours.
  constexpr void open(item_list& list) {
    std::int64_t pieces = 0;
    for (item i : list)
      pieces = std::min(pieces + std::min(at(i.node).pieces, most_opened + 1), most_opened + 1);
    bool const all = pieces <= most_opened;
    if (std::none_of(list.begin(), list.end(), [&](item i) { return opens(at(i.node), all); }))
      return;
    item_list out;
    for (item i : list) open_into(out, i, all);
    list = std::move(out);
  }
  static constexpr std::int64_t most_opened = 64;

  static constexpr bool opens(layout_node const& n, bool all) {
    return n.kind == node_kind::table || n.kind == node_kind::concat ||
           (n.kind == node_kind::repeat && (all || n.count == 2));
  }

  constexpr void open_into(item_list& out, item i, bool all) {
    layout_node const n = at(i.node);
    if (!opens(n, all)) {
      out.push_back(i);
    } else if (n.kind == node_kind::table) {
      append_pieces(out, tables_[n.child], i.offset, 0, static_cast<std::size_t>(n.count));
    } else if (n.kind == node_kind::repeat) {
      for (std::int64_t k = 0; k < n.count; ++k)
        open_into(out, {i.offset + k * n.stride, n.child}, all);
    } else {
      for (std::size_t k = 0; k < static_cast<std::size_t>(n.count); ++k) {
        layout_place const p = places_[n.child + k];
        open_into(out, {i.offset + p.displacement, p.node}, all);
      }
    }
  }

  // Returns true for copies of a table, and other tables that are joined to nothing: their pieces,
  // if opened, would only become the same tables again. Pieces at the ends are an exception,
  // because they may belong to a run with their neighbours.
  constexpr bool stays_as_it_is(item_list const& list) const {
    if (list.size() > longest_concat) return false;
    bool copies = false, irregular = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      layout_node const& n = at(list[i].node);
      bool const beside = i > 0 && (is_simple(at(list[i - 1].node)) ||
                                    at(list[i - 1].node).kind == node_kind::table);
      if (n.kind == node_kind::table) {
        if (beside) return false;
        irregular = irregular || table_rules{tables_[n.child]}.has_singles(
                                     table_rules::longest_searched + 4 * longest_concat);
      } else if (n.kind == node_kind::repeat && n.count > 2 &&
                 at(n.child).kind == node_kind::table) {
        if (copies) return false;
        copies = true;
      } else if (n.kind != node_kind::bytes ||
                 (i > 0 && at(list[i - 1].node).kind == node_kind::table)) {
        return false;
      }
    }
    return copies && irregular;
  }

  // Returns true if the items from `from` on equal `pattern` moved by `shift`.
  constexpr bool matches(item_list const& list, std::size_t from, item_list const& pattern,
                         std::int64_t shift) const {
    if (from + pattern.size() > list.size()) return false;
    for (std::size_t k = 0; k < pattern.size(); ++k)
      if (list[from + k].node != pattern[k].node ||
          list[from + k].offset != wrapping_add(pattern[k].offset, shift))
        return false;
    return true;
  }

  // Continues a repeat: repeat(n, s, X) followed, or preceded, by one more X in its place is
  // repeat(n + 1, s, X).
  constexpr bool absorb(item_list& list) {
    bool changed = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (at(list[i].node).kind != node_kind::repeat) continue;
      layout_node n = at(list[i].node);
      item_list once;
      append_items(once, list[i].offset, n.child);
      std::size_t after = i + 1;
      std::int64_t count = n.count;
      for (;;) {
        if (matches(list, after, once, wrapping_mul(count, n.stride))) {
          after += once.size();
          ++count;
        } else if (after < list.size() &&
                   list[after].offset ==
                       wrapping_add(list[i].offset, wrapping_mul(count, n.stride)) &&
                   continues(n, at(list[after].node))) {
          count += at(list[after].node).count;
          ++after;
        } else {
          break;
        }
      }
      std::size_t before = i;
      while (before >= once.size() && matches(list, before - once.size(), once, -n.stride)) {
        before -= once.size();
        ++count;
        for (item& o : once) o.offset -= n.stride;
      }
      if (count == n.count) continue;
      list[before] = {once[0].offset, repeat_node(count, n.stride, n.child)};
      erase(list, before + 1, after);
      i = before;
      changed = true;
    }
    return changed;
  }

  static constexpr bool continues(layout_node const& a, layout_node const& b) {
    return b.kind == node_kind::repeat && b.stride == a.stride && b.child == a.child;
  }

  static constexpr void erase(item_list& list, std::size_t from, std::size_t to) {
    std::copy(list.begin() + to, list.end(), list.begin() + from);
    list.truncate(list.size() - (to - from));
  }

  // Makes tables of long stretches of single pieces without repetition, because lists of numbers
  // are cheaper than nodes. Such stretches may lie between other items, for example at the seams of
  // a repeated table. Long repeats are not expanded for this. Returns false if there is no such
  // stretch.
  constexpr bool tabulate(item_list& list) {
    item_list out;
    bool found = false;
    for (std::size_t from = 0, to = 0; from < list.size(); from = to) {
      std::int64_t pieces = 0;
      for (; to < list.size() && is_simple(at(list[to].node)); ++to)
        pieces = add(pieces, at(list[to].node).pieces);
      if (to - from > longest_concat && pieces <= 8 * static_cast<std::int64_t>(to - from)) {
        append_tabulated(out, list, from, to, pieces);
        found = true;
      } else {
        if (to == from) ++to;
        for (std::size_t i = from; i < to; ++i) out.push_back(list[i]);
      }
    }
    if (found) list = std::move(out);
    return found;
  }

  constexpr bool is_simple(layout_node const& n) const {
    return n.kind == node_kind::bytes ||
           (n.kind == node_kind::repeat && at(n.child).kind == node_kind::bytes);
  }

  // Appends list[from, to), simple items of `pieces` pieces in total, as a table.
  constexpr void append_tabulated(item_list& out, item_list const& list, std::size_t from,
                                  std::size_t to, std::int64_t pieces) {
    std::int64_t const length = first_length(list[from].node);
    bool equal = true;
    for (std::size_t i = from; i < to; ++i) equal = equal && first_length(list[i].node) == length;
    compact_numbers offsets, lengths;
    offsets.start_at(list[from].offset);
    offsets.reserve(static_cast<std::size_t>(pieces));
    if (!equal) lengths.reserve(static_cast<std::size_t>(pieces));
    for (std::size_t i = from; i < to; ++i) {
      layout_node const& n = at(list[i].node);
      std::int64_t const copies = n.kind == node_kind::bytes ? 1 : n.count;
      for (std::int64_t k = 0; k < copies; ++k) {
        offsets.push_back(list[i].offset + k * n.stride);
        if (!equal) lengths.push_back(first_length(list[i].node));
      }
    }
    append_table(out, piece_table(std::move(offsets), std::move(lengths), length),
                 list[from].offset);
  }
};

}  // namespace argosy::detail
