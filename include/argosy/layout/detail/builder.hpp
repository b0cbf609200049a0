// Brings lists of items into normal form. The rules, and why they give one form, are in
// docs/develop/normal_form.md. One page because most rules call each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/list_rules.hpp>
#include <argosy/layout/detail/loose_pieces.hpp>
#include <argosy/layout/detail/small_array.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

// The bounds of a layout in the making: a hull that starts empty.
struct bounds {
  std::int64_t low = 0, high = 0;
  bool any = false;

  constexpr void include(std::int64_t from, std::int64_t to) {
    low = any ? std::min(low, from) : from;
    high = any ? std::max(high, to) : to;
    any = true;
  }
};

class builder : list_rules {
 public:
  using list_rules::longest_concat;
  using node_store::append_bytes;
  using node_store::append_table;

  // Appends all pieces of a list, and empties the list. They become a table if no rule would
  // shorten them.
  constexpr void append_pieces(item_list& out, loose_pieces& pieces) {
    if (pieces.empty()) return;
    std::int64_t const first = pieces[0].offset;
    if (pieces.size() <= table_rules::longest_searched) {
      for (std::size_t i = 0; i < pieces.size(); ++i)
        append_bytes(out, pieces[i].offset, pieces[i].length);
      pieces = {};
      return;
    }
    piece_table table = pieces.take();
    table_rules const rules{table};
    if (rules.has_singles(table_rules::longest_searched) && !rules.repeats())
      append_table(out, std::move(table), first);
    else
      append_pieces(out, table, first, 0, table.size());
  }

  // Appends the items of `part`, moved by `displacement`.
  constexpr void append(item_list& out, std::int64_t displacement, layout const& part) {
    if (part.empty()) return;
    std::size_t const first_table = tables_.size();
    for (piece_table const& table : part.tables()) tables_.push_back(table);
    small_array<std::int64_t, 16> index;
    for (layout_node const& n : part.nodes()) index.push_back(import(n, part, index, first_table));
    append_items(out, add(displacement, part.origin()), index.back());
  }

  // Appends `count` copies of a list in normal form, all of which fit (see `require_fit`). If not
  // `whole` and copies of a table join, everything behind the first piece of the last copy is left
  // out.
  constexpr void append_repeat(item_list& out, std::int64_t count, std::int64_t stride,
                               item_list const& once, bool whole = true) {
    if (count == 0 || once.empty()) return;
    if (count == 1) {
      for (item i : once) out.push_back(i);
      return;
    }
    item const first = once[0];
    if (once.size() == 1) {
      layout_node const n = nodes_[index(first)];
      if (n.kind == node_kind::bytes && n.size == stride) {
        out.push_back({first.offset, leaf(mul(count, n.size))});
        return;
      }
      if (n.kind == node_kind::repeat && stride == wrapping_mul(n.count, n.stride)) {
        out.push_back({first.offset, repeat_node(mul(count, n.count), n.stride, n.child)});
        return;
      }
    }
    if (last_piece(once.back()).end() == add(first.offset, stride)) {
      append_joined_repeat(out, count, stride, once, whole);
      return;
    }
    out.push_back({first.offset, repeat_node(count, stride, to_node(once))});
  }

  constexpr void normalise(item_list& list) {
    join(list);
    if (list.size() > 1) settle(list);
  }

  // Checks the preconditions of all other arithmetic: offsets and ends fit in 64 bits, and so do
  // the difference of any two of them and the sum of sizes.
  constexpr void require_fit(item_list const& list, bounds hull) const {
    if (hull.any) hull.include(hull.high, hull.low);  // negative extents
    std::int64_t size = 0;
    for (item i : list) {
      layout_node const& n = at(i.node);
      hull.include(add(i.offset, n.low), add(i.offset, n.high));
      size = add(size, n.size);
    }
    require_span(hull.low, hull.high);
  }

  constexpr layout finish(item_list& list, bounds const& hull) {
    require_fit(list, hull);
    return finish_checked(list, hull);
  }

  // Returns the layout of one piece that is known to fit. Most data in memory is of this kind.
  static constexpr layout one_piece(std::int64_t offset, std::int64_t length, bounds const& hull) {
    layout result;
    result.lower_bound_ = hull.low;
    result.extent_ = sub(hull.high, hull.low);
    result.origin_ = offset;
    result.nodes_.push_back(piece_node(length));
    return result;
  }

  // Makes `count` copies of a tower, at least 2. A tower is a layout without places and tables, so
  // each node is the only child of the next. Returns false if pieces of two copies join and others
  // do not, and leaves the layout as it is. Has the rules of append_repeat, and saves the lists.
  // Most arrays are of this kind.
  static constexpr bool repeat_tower(layout& tower, std::int64_t count, std::int64_t stride,
                                     bounds const& hull) {
    layout_node& top = tower.nodes_.back();
    if (top.kind == node_kind::bytes && stride == top.size) {
      top = piece_node(mul(count, top.size));
    } else if (top.kind == node_kind::repeat && stride == wrapping_mul(top.count, top.stride)) {
      layout_node const below = tower.nodes_[top.child];
      top = node_of_copies(mul(count, top.count), top.stride, top.child, below);
    } else {
      std::int64_t end = tower.nodes_[0].size;  // end of the last piece
      for (std::size_t i = 1; i < tower.nodes_.size(); ++i)
        end += (tower.nodes_[i].count - 1) * tower.nodes_[i].stride;
      if (end == stride) return false;
      auto const child = static_cast<std::int64_t>(tower.nodes_.size() - 1);
      tower.nodes_.push_back(node_of_copies(count, stride, child, layout_node(top)));
    }
    tower.lower_bound_ = hull.low;
    tower.extent_ = sub(hull.high, hull.low);
    return true;
  }

  // Implements at().
  static constexpr void shift(layout& form, std::int64_t displacement) {
    if (form.empty() && form.extent_ == 0) return;
    form.origin_ = add(form.origin_, form.empty() ? 0 : displacement);
    form.lower_bound_ = add(form.lower_bound_, displacement);
    add(form.lower_bound_, form.extent_);
    if (form.empty()) return;
    add(form.origin_, form.root().low);
    add(form.origin_, form.root().high);
  }

  // Implements resized().
  static constexpr void resize(layout& form, std::int64_t lower_bound, std::int64_t extent) {
    std::int64_t const upper_bound = add(lower_bound, extent);
    std::int64_t low = std::min(lower_bound, upper_bound),
                 high = std::max(lower_bound, upper_bound);
    if (!form.empty()) {
      low = std::min(low, form.true_lower_bound());
      high = std::max(high, form.true_upper_bound());
    }
    require_span(low, high);
    form.lower_bound_ = lower_bound;
    form.extent_ = extent;
  }

  // Makes the layout of a list that is known to fit.
  constexpr layout finish_checked(item_list& list, bounds const& hull) {
    normalise(list);
    return finish_normal(list, hull);
  }

  // Makes the layout of a list in normal form, such as one read back from serialised bytes.
  constexpr layout finish_normal(item_list const& list, bounds const& hull) {
    layout result;
    if (hull.any) {
      result.lower_bound_ = hull.low;
      result.extent_ = sub(hull.high, hull.low);
    }
    if (list.empty()) return result;
    result.origin_ = list[0].offset;
    std::int64_t const root = to_node(list);
    layout_node const& r = at(root);
    add(result.origin_, r.high);
    add(result.origin_, r.low);
    small_array<std::int64_t, 48> index;
    for (std::size_t i = 0; i < nodes_.size(); ++i) index.push_back(-1);
    emit(root, result, index);
    return result;
  }

 private:
  using node_store::append_pieces;

  // --- nodes from layouts, and back ---

  constexpr std::int64_t import(layout_node const& n, layout const& from,
                                small_array<std::int64_t, 16> const& index,
                                std::size_t first_table) {
    switch (n.kind) {
      case node_kind::bytes:
        return intern(n);
      case node_kind::repeat: {
        layout_node moved = n;
        moved.child = static_cast<std::uint32_t>(index[n.child]);
        return intern(moved);
      }
      case node_kind::table: {
        layout_node moved = n;
        moved.child = static_cast<std::uint32_t>(first_table + n.child);
        return intern(moved);
      }
      case node_kind::concat:
        break;
    }
    item_list list;
    for (layout_place const& p : from.places().subspan(n.child, static_cast<std::size_t>(n.count)))
      list.push_back({p.displacement, index[static_cast<std::size_t>(p.node)]});
    return to_node(list);
  }

  // Writes the nodes below `i` in postorder, so that equal trees are equal arrays.
  constexpr std::int64_t emit(std::int64_t i, layout& out, small_array<std::int64_t, 48>& index) {
    std::int64_t& known = index[static_cast<std::size_t>(i)];
    if (known >= 0) return known;
    layout_node n = at(i);
    if (n.kind == node_kind::repeat) {
      n.child = static_cast<std::uint32_t>(emit(n.child, out, index));
    } else if (n.kind == node_kind::table) {
      out.tables_.push_back(tables_[n.child]);
      n.child = static_cast<std::uint32_t>(out.tables_.size() - 1);
    } else if (n.kind == node_kind::concat) {
      small_array<layout_place, 16> places;
      for (layout_place p : places_of(at(i))) {
        p.node = emit(p.node, out, index);
        places.push_back(p);
      }
      n.child = static_cast<std::uint32_t>(out.places_.size());
      for (layout_place p : places) out.places_.push_back(p);
    }
    out.nodes_.push_back(n);
    return known = static_cast<std::int64_t>(out.nodes_.size() - 1);
  }

  // --- the rules that call each other ---

  // Appends copies if a copy ends at the start of the next: the pieces on both sides of each
  // junction become one. If f is the first piece, l the last and M the rest:  f (M l f) (M l f) ...
  // M l  ->  f, repeat(count - 1, M (l f)), M, l.
  constexpr void append_joined_repeat(item_list& out, std::int64_t count, std::int64_t stride,
                                      item_list const& once, bool whole) {
    piece const last = last_piece(once.back());
    std::int64_t const head = first_length(once[0].node);
    if (once.size() == 1 && at(once[0].node).kind == node_kind::table)
      return append_joined_tables(out, count, stride, once[0], last, head, whole);
    item_list rest, middle;
    append_rest(rest, once[0]);
    for (std::size_t i = 1; i < once.size(); ++i) rest.push_back(once[i]);
    for (std::size_t i = 0; i + 1 < rest.size(); ++i) middle.push_back(rest[i]);
    append_without_last(middle, rest.back());

    item_list period = middle;
    append_bytes(period, last.offset, add(last.length, head));
    normalise(period);
    append_bytes(out, once[0].offset, head);
    append_repeat(out, count - 1, stride, period);
    std::int64_t const end = mul(count - 1, stride);
    for (item i : middle) out.push_back({add(i.offset, end), i.node});
    append_bytes(out, add(last.offset, end), last.length);
  }

  // Appends joined copies of a table, without an item for each piece.
  constexpr void append_joined_tables(item_list& out, std::int64_t count, std::int64_t stride,
                                      item table, piece const& last, std::int64_t head,
                                      bool whole) {
    piece_table const pieces = tables_[at(table.node).child];
    auto const all_but_first = [&](std::int64_t offset, std::int64_t longer) {
      loose_pieces rest;
      rest.reserve(pieces.size() - 1);
      for (std::size_t i = 1; i + 1 < pieces.size(); ++i)
        rest.add(offset + pieces.offset(i), pieces.length(i));
      rest.add(offset + (last.offset - table.offset), add(last.length, longer));
      return rest;
    };
    loose_pieces period = all_but_first(table.offset, head);
    item_list once;
    append_pieces(once, period);
    normalise(once);
    append_bytes(out, table.offset, head);
    append_repeat(out, count - 1, stride, once);
    if (!whole && count > 2) return;
    loose_pieces rest = all_but_first(add(table.offset, mul(count - 1, stride)), 0);
    append_pieces(out, rest);
  }

  // Joins pieces that continue each other across items.
  constexpr void join(item_list& list) {
    bool joined = false;
    for (std::size_t i = 1; i < list.size() && !joined; ++i)
      joined = last_piece(list[i - 1]).end() == list[i].offset;
    if (!joined) return;
    item_list out;
    for (item next : list) {
      if (out.empty() || last_piece(out.back()).end() != next.offset) {
        out.push_back(next);
        continue;
      }
      item const before = out.back();
      piece const last = last_piece(before);
      out.pop_back();
      append_without_last(out, before);
      append_bytes(out, last.offset, add(last.length, first_length(next.node)));
      append_rest(out, next);
    }
    list = std::move(out);
  }

  // Groups repeated items. Pieces of a long list stay tables unless a rule makes the list short,
  // because short runs by chance would only grow the tree.
  constexpr void settle(item_list& list) {
    if (stays_as_it_is(list)) return group(list);
    open(list);
    if (list.size() <= longest_concat) return group(list);
    item_list grouped = list;
    group(grouped);
    if (grouped.size() > longest_concat && tabulate(list)) return group(list);
    list = std::move(grouped);
  }

  // Tries the rules in this order: continue a repeat, fold the whole list, fold the run that covers
  // most pieces.
  constexpr void group(item_list& list) {
    while (list.size() > 1 && (absorb(list) || fold_whole(list) || fold_run(list))) {
    }
  }

  // Returns true if the steps from items a and b to the next are equal. Steps are the letters in
  // which a list repeats.
  static constexpr bool same_step(item_list const& list, std::size_t a, std::size_t b) {
    return list[a].node == list[b].node &&
           list[a + 1].offset - list[a].offset == list[b + 1].offset - list[b].offset;
  }

  // Folds a list that is p items again and again. The failure function of its steps finds p in
  // O(items).
  constexpr bool fold_whole(item_list& list) {
    std::size_t const steps = list.size() - 1;
    small_array<std::size_t, 64> border;
    border.push_back(0);
    for (std::size_t i = 1, k = 0; i < steps; ++i) {
      while (k > 0 && !same_step(list, i, k)) k = border[k - 1];
      if (same_step(list, i, k)) ++k;
      border.push_back(k);
    }
    // The last item has no step of its own. A period p of the steps is a period of the list if p
    // divides it and the last item equals its image.
    for (std::size_t k = border[steps - 1];; k = border[k - 1]) {
      std::size_t const p = steps - k;
      if (p < list.size() && list.size() % p == 0 &&
          list[list.size() - 1].node == list[p - 1].node) {
        fold(list, 0, p, list.size() / p);
        return true;
      }
      if (k == 0) return false;
    }
  }

  // Returns the number of copies of list[from, from + p) that follow one another at one stride,
  // including the first.
  constexpr std::size_t run_length(item_list const& list, std::size_t from, std::size_t p) const {
    if (from + 2 * p > list.size()) return 1;
    std::int64_t const stride = list[from + p].offset - list[from].offset;
    std::size_t copies = 1;
    for (;; ++copies) {
      std::size_t const next = from + copies * p;
      if (next + p > list.size()) return copies;
      for (std::size_t k = 0; k < p; ++k)
        if (list[next + k].node != list[next + k - p].node ||
            list[next + k].offset != wrapping_add(list[next + k - p].offset, stride))
          return copies;
    }
  }

  // Folds the run that covers most pieces. If several do, the shortest period wins, then the first.
  // A pair of single items may be chance: if the list will not stay a concat, such a pair is not
  // folded.
  constexpr bool fold_run(item_list& list) {
    if (list.size() > table_rules::longest_searched) return fold_long(list);
    std::size_t best = 0, best_period = 0, best_copies = 0;
    std::int64_t most = 0;
    for (std::size_t p = 1; p <= longest_period && 2 * p <= list.size(); ++p) {
      std::size_t const least = p == 1 && list.size() > longest_concat ? 3 : 2;
      for (std::size_t i = 0; i + 2 * p <= list.size();) {
        std::size_t const copies = run_length(list, i, p);
        std::int64_t covered = 0;
        for (std::size_t k = 0; k < p; ++k) covered += at(list[i + k].node).pieces;
        covered = mul(covered, static_cast<std::int64_t>(copies));
        if (copies >= least && covered > most) {
          most = covered;
          best = i;
          best_period = p;
          best_copies = copies;
        }
        i += copies > 1 ? (copies - 1) * p : 1;
      }
    }
    if (most == 0) return false;
    fold(list, best, best_period, best_copies);
    return true;
  }
  static constexpr std::size_t longest_period = 8;

  // Folds a very long list: looks for runs of single items only, in one pass.
  constexpr bool fold_long(item_list& list) {
    item_list out;
    for (std::size_t i = 0; i < list.size();) {
      std::size_t const copies = run_length(list, i, 1);
      if (copies < 3) {
        out.push_back(list[i++]);
        continue;
      }
      append_fold(out, list, i, 1, copies);
      i += copies;
    }
    bool const changed = out.size() < list.size();
    list = std::move(out);
    return changed;
  }

  // Replaces list[from, from + p) and its copies by one repeat.
  constexpr void fold(item_list& list, std::size_t from, std::size_t p, std::size_t copies) {
    item_list out;
    for (std::size_t i = 0; i < from; ++i) out.push_back(list[i]);
    append_fold(out, list, from, p, copies);
    for (std::size_t i = from + p * copies; i < list.size(); ++i) out.push_back(list[i]);
    list = std::move(out);
  }

  constexpr void append_fold(item_list& out, item_list const& list, std::size_t from, std::size_t p,
                             std::size_t copies) {
    item_list once;
    for (std::size_t k = 0; k < p; ++k) once.push_back(list[from + k]);
    settle(once);
    append_repeat(out, static_cast<std::int64_t>(copies), list[from + p].offset - list[from].offset,
                  once);
  }
};

}  // namespace argosy::detail

#include <argosy/layout/detail/algebra.hpp>
