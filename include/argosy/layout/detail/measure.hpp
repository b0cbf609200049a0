// Queries of a layout beyond its cached sizes: order, overlaps, bytes below an offset.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/linked.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {
namespace detail {

// The place of a byte of the stream: its offset, and the number of the piece that holds it.
struct byte_place {
  std::int64_t offset, piece;
};

// Walks over the tree of a layout; each function is a query of a node. A node that is used in
// several places is visited once, because a tree of n nodes can have 2^n leaves.
class measure {
 public:
  constexpr explicit measure(layout const& l) : layout_(l) {}

  constexpr std::size_t depth() const {
    small_array<std::size_t, 24> levels;  // children stand first
    for (layout_node const& n : layout_.nodes()) {
      std::size_t below = 0;
      if (n.kind == node_kind::repeat) below = levels[n.child];
      if (n.kind == node_kind::concat)
        for (layout_place const& p : places(n))
          below = std::max(below, levels[static_cast<std::size_t>(p.node)]);
      levels.push_back(below + 1);
    }
    return levels.back();
  }

  // Returns the offset of the last piece, relative to the first.
  constexpr std::int64_t last_offset(layout_node const& n) const {
    switch (n.kind) {
      case node_kind::bytes:
        return 0;
      case node_kind::repeat:
        return (n.count - 1) * n.stride + last_offset(child(n));
      case node_kind::concat:
        return places(n).back().displacement + last_offset(child(places(n).back()));
      case node_kind::table:
        break;
    }
    return table(n).offset(table(n).size() - 1);
  }

  constexpr bool is_monotonic() const {
    for (layout_node const& n : layout_.nodes()) {
      if (n.kind == node_kind::table && !table(n).is_monotonic()) return false;
      if (n.kind == node_kind::repeat && last_offset(child(n)) > n.stride) return false;
      if (n.kind != node_kind::concat) continue;
      std::int64_t last = 0;
      for (layout_place const& p : places(n)) {
        if (p.displacement < last) return false;
        last = p.displacement + last_offset(child(p));
      }
    }
    return true;
  }

  // Returns the bytes of `n` at offsets below `x`, both relative to the first piece of `n`. Copies
  // that lie wholly below x are counted by division. Copies that contain x are visited; if copies
  // do not overlap, there is only one.
  constexpr std::int64_t bytes_before(layout_node const& n, std::int64_t x) const {
    if (x <= n.low) return 0;
    if (x >= n.high) return n.size;
    switch (n.kind) {
      case node_kind::bytes:
        return x;
      case node_kind::repeat:
        return copies_before(n, x);
      case node_kind::concat:
        return places_before(n, x);
      case node_kind::table:
        break;
    }
    return pieces_before(table(n), x);
  }

  // Returns the place of byte `position` of the stream, which has more bytes.
  constexpr byte_place place_of(std::int64_t position) const {
    byte_place at{layout_.origin(), 0};
    layout_node const* n = &layout_.root();
    while (n->kind == node_kind::repeat || n->kind == node_kind::concat) {
      layout_node const* c = nullptr;
      if (n->kind == node_kind::repeat) {
        c = &child(*n);
        std::int64_t const copy = position < c->size ? 0 : position / c->size;
        position -= copy * c->size;
        at.offset += copy * n->stride;
        at.piece += copy * c->pieces;
      } else {
        layout_place const* p = places(*n).data();
        for (c = &child(*p); position >= p->start + c->size; c = &child(*++p))
          at.piece += c->pieces;
        position -= p->start;
        at.offset += p->displacement;
      }
      n = c;
    }
    if (n->kind == node_kind::table) {
      std::size_t const i = table(*n).find(position);
      position -= table(*n).start(i);
      at.offset += table(*n).offset(i);
      at.piece += static_cast<std::int64_t>(i);
    }
    at.offset += position;
    return at;
  }

  // Returns the hull of the bytes [from, to) of the stream of `n`, relative to its first piece;
  // from < to.
  constexpr piece hull(layout_node const& n, std::int64_t from, std::int64_t to) const {
    if (from == 0 && to == n.size) return {n.low, n.high - n.low};
    switch (n.kind) {
      case node_kind::bytes:
        return {from, to - from};
      case node_kind::repeat: {
        layout_node const& c = child(n);
        std::int64_t const first = from / c.size, last = (to - 1) / c.size;
        if (first == last)
          return moved(hull(c, from - first * c.size, to - first * c.size), first * n.stride);
        piece all = joined(moved(hull(c, from - first * c.size, c.size), first * n.stride),
                           moved(hull(c, 0, to - last * c.size), last * n.stride));
        piece const whole{c.low, c.high - c.low};
        if (last - first > 1)
          all = joined(all, joined(moved(whole, (first + 1) * n.stride),
                                   moved(whole, (last - 1) * n.stride)));
        return all;
      }
      case node_kind::concat: {
        piece all;
        for (layout_place const& p : places(n)) {
          std::int64_t const a = std::max(from, p.start), b = std::min(to, p.start + child(p).size);
          if (a < b)
            all = joined(all, moved(hull(child(p), a - p.start, b - p.start), p.displacement));
        }
        return all;
      }
      case node_kind::table:
        break;
    }
    piece all;
    std::size_t k = table(n).find(from);
    for (std::int64_t start = table(n).start(k); k < table(n).size() && start < to;
         start += table(n).length(k++)) {
      std::int64_t const a = std::max(from - start, std::int64_t{0});
      std::int64_t const b = std::min(to - start, table(n).length(k));
      all = joined(all, {table(n).offset(k) + a, b - a});
    }
    return all;
  }

  // Returns true if strides alone show that no byte is named twice. Nested repeats, sorted by
  // stride, must each step over everything inside, and the members of a concat must not interleave.
  constexpr bool nests() const {
    small_array<bool, 24> answers;  // children stand first
    for (layout_node const& n : layout_.nodes()) answers.push_back(nests(n, answers));
    return answers.back();
  }

 private:
  struct level {
    std::int64_t stride, count;
  };

  constexpr bool nests(layout_node const& n, small_array<bool, 24> const& answers) const {
    if (n.kind == node_kind::bytes) return true;
    if (n.kind == node_kind::table) return table(n).is_sorted();
    if (n.kind == node_kind::concat) {
      std::int64_t end = n.low;
      bool ordered = true;
      for (layout_place const& p : places(n)) {
        if (!answers[static_cast<std::size_t>(p.node)]) return false;
        ordered = ordered && p.displacement + child(p).low >= end;
        end = p.displacement + child(p).high;
      }
      return ordered;
    }
    small_array<level, 12> levels;
    layout_node const* inner = &n;
    std::size_t last = 0;
    for (; inner->kind == node_kind::repeat; inner = &layout_.nodes()[last]) {
      levels.push_back({inner->stride < 0 ? -inner->stride : inner->stride, inner->count});
      last = inner->child;
    }
    if (!answers[last]) return false;
    std::sort(levels.begin(), levels.end(),
              [](level const& a, level const& b) { return a.stride < b.stride; });
    std::int64_t span = inner->high - inner->low;
    for (level const& l : levels) {
      if (l.stride < span) return false;
      span = add(span, mul(l.count - 1, l.stride));
    }
    return true;
  }

  static constexpr piece moved(piece const& p, std::int64_t by) {
    return {p.offset + by, p.length};
  }
  static constexpr piece joined(piece const& a, piece const& b) {
    if (a.length == 0) return b;
    std::int64_t const low = std::min(a.offset, b.offset);
    return {low, std::max(a.end(), b.end()) - low};
  }

  constexpr layout_node const& child(layout_node const& n) const {
    return layout_.nodes()[n.child];
  }
  constexpr layout_node const& child(layout_place const& p) const {
    return layout_.nodes()[static_cast<std::size_t>(p.node)];
  }
  constexpr std::span<layout_place const> places(layout_node const& n) const {
    return layout_.places().subspan(n.child, static_cast<std::size_t>(n.count));
  }
  constexpr piece_table const& table(layout_node const& n) const {
    return layout_.tables()[n.child];
  }

  constexpr std::int64_t copies_before(layout_node const& n, std::int64_t x) const {
    layout_node const& c = child(n);
    if (n.stride == 0) return n.count * bytes_before(c, x);
    // Copy k lies at k * stride; a negative stride counts the copies from the other end.
    std::int64_t const stride = n.stride < 0 ? -n.stride : n.stride;
    std::int64_t const base = n.stride < 0 ? (n.count - 1) * n.stride : 0;
    std::int64_t const whole =
        std::clamp<std::int64_t>(floor_div(x - base - c.high, stride) + 1, 0, n.count);
    std::int64_t const begun =
        std::clamp<std::int64_t>(floor_div(x - base - c.low - 1, stride) + 1, whole, n.count);
    std::int64_t bytes = whole * c.size;
    for (std::int64_t k = whole; k < begun; ++k) bytes += bytes_before(c, x - base - k * stride);
    return bytes;
  }

  constexpr std::int64_t places_before(layout_node const& n, std::int64_t x) const {
    // Members are few, or large, because a long list of single pieces is a table.
    std::int64_t bytes = 0;
    for (layout_place const& p : places(n)) bytes += bytes_before(child(p), x - p.displacement);
    return bytes;
  }

  constexpr std::int64_t pieces_before(piece_table const& t, std::int64_t x) const {
    if (t.is_sorted()) {
      std::size_t low = 0, high = t.size();
      while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        if (t.offset(middle) < x)
          low = middle + 1;
        else
          high = middle;
      }
      std::size_t const last = low - 1;  // piece 0 lies at 0 and x > low = 0
      return t.start(last) + std::min(x - t.offset(last), t.length(last));
    }
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < t.size(); ++i)
      bytes += std::clamp<std::int64_t>(x - t.offset(i), 0, t.length(i));
    return bytes;
  }

  layout const& layout_;
};

// Queries of a layout that is not empty, as the library compiles them; `once` chooses.
namespace linked {

piece hull_of(layout const& l, std::int64_t from, std::int64_t to);
std::size_t depth(layout const& l);
bool is_monotonic(layout const& l);
byte_place place_of(layout const& l, std::int64_t position);
std::int64_t bytes_before(layout const& l, std::int64_t offset);
bool overlaps(layout const& l);

}  // namespace linked

constexpr piece hull_here(layout const& l, std::int64_t from, std::int64_t to) {
  piece const p = measure(l).hull(l.root(), from, to);
  return {l.origin() + p.offset, p.length};
}

// Returns the smallest range that contains the bytes [from, to) of the stream of a layout, in
// whatever order they lie; from < to.
constexpr piece hull_of(layout const& l, std::int64_t from, std::int64_t to) {
  return once([&] { return hull_here(l, from, to); }, [&] { return linked::hull_of(l, from, to); });
}

// Returns the place of byte `position` of the stream of a layout, which has more bytes. A cursor
// costs more, and can go on from there.
constexpr byte_place place_of(layout const& l, std::int64_t position) {
  return once([&] { return measure(l).place_of(position); },
              [&] { return linked::place_of(l, position); });
}

constexpr bool overlaps_here(layout const& l) {
  if (l.size() > l.true_extent()) return true;
  if (measure(l).nests()) return false;
  std::vector<piece> all;
  all.reserve(static_cast<std::size_t>(l.pieces()));
  for (cursor at(l); !at.done(); at.next()) all.push_back(at.current());
  std::sort(all.begin(), all.end(),
            [](piece const& a, piece const& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].offset < all[i - 1].end()) return true;
  return false;
}

}  // namespace detail

constexpr std::size_t layout::depth() const {
  if (empty()) return 0;
  return detail::once([&] { return detail::measure(*this).depth(); },
                      [&] { return detail::linked::depth(*this); });
}

constexpr bool layout::is_monotonic() const {
  if (empty()) return true;
  return detail::once([&] { return detail::measure(*this).is_monotonic(); },
                      [&] { return detail::linked::is_monotonic(*this); });
}

constexpr std::int64_t layout::piece_at(std::int64_t position) const {
  return empty() ? 0 : detail::place_of(*this, position).piece;
}

constexpr std::int64_t layout::bytes_before(std::int64_t offset) const {
  if (empty() || offset <= true_lower_bound()) return 0;
  if (offset >= true_upper_bound()) return size();
  return detail::once([&] { return detail::measure(*this).bytes_before(root(), offset - origin_); },
                      [&] { return detail::linked::bytes_before(*this, offset); });
}

constexpr bool layout::overlaps() const {
  if (empty()) return false;
  return detail::once([&] { return detail::overlaps_here(*this); },
                      [&] { return detail::linked::overlaps(*this); });
}

}  // namespace argosy
