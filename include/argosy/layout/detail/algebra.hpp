// The constructors of layouts. Each brings its parts into one list of items, and the builder
// normalises it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <argosy/layout/detail/builder.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {
namespace detail {

constexpr void require_not_negative(char const* where, char const* what, std::int64_t value) {
  if (value < 0) throw_negative(where, what, value);
}

// Adds MPI's bounds of `count` copies. A part without bytes and without extent has no bounds.
constexpr void include_copies(bounds& hull, std::int64_t count, std::int64_t stride,
                              layout const& part, std::int64_t displacement = 0) {
  if (count == 0 || (part.empty() && part.extent() == 0)) return;
  std::int64_t const last = mul(count - 1, stride);
  hull.include(add(add(displacement, std::min<std::int64_t>(0, last)), part.lower_bound()),
               add(add(displacement, std::max<std::int64_t>(0, last)), part.upper_bound()));
}

// Checks copies before they are made, by the rules by which the builder checks a list.
constexpr void require_copies_fit(std::int64_t count, std::int64_t stride, layout const& part,
                                  bounds hull) {
  if (hull.any) hull.include(hull.high, hull.low);  // negative extents
  if (count > 0 && !part.empty()) {
    std::int64_t const last = mul(count - 1, stride);
    mul(count, part.size());
    hull.include(add(std::min<std::int64_t>(0, last), part.true_lower_bound()),
                 add(std::max<std::int64_t>(0, last), part.true_upper_bound()));
  }
  require_span(hull.low, hull.high);
}

class assembler;

// The functions that the library compiles; `once` chooses.
namespace linked {

layout copies(std::int64_t count, std::int64_t stride, layout const& inner, bool whole);
void multiply(layout& form, std::int64_t count, std::int64_t stride);
layout table(std::span<std::int64_t const> offsets, std::span<std::int64_t const> lengths);
layout table(std::span<std::int64_t const> offsets, std::int64_t length);
layout borrowed_table(std::span<std::int64_t const> offsets, std::int64_t length);
void add(assembler& to, std::int64_t displacement, layout const& part);
layout finish(assembler& all);

}  // namespace linked

// Builds one layout out of parts that come one at a time.
class assembler {
 public:
  // Reserves memory for the pieces to come. Optional.
  constexpr void reserve(std::size_t pieces) { pieces_.reserve(pieces); }
  constexpr void add(std::int64_t displacement, layout const& part) {
    once([&] { add_here(displacement, part); }, [&] { linked::add(*this, displacement, part); });
  }
  constexpr void add_bytes(std::int64_t displacement, std::int64_t length) {
    if (length <= 0) return;
    pieces_.add(displacement, length);
    hull_.include(displacement, detail::add(displacement, length));
  }
  constexpr layout finish() {
    return once([&] { return finish_here(); }, [&] { return linked::finish(*this); });
  }

  constexpr void add_here(std::int64_t displacement, layout const& part) {
    append_pieces();
    builder_.append(items_, displacement, part);
    include_copies(hull_, 1, 0, part, displacement);
  }
  constexpr layout finish_here() {
    append_pieces();
    return builder_.finish(items_, hull_);
  }

 private:
  constexpr void append_pieces() {
    if (pieces_.empty()) return;
    require_span(hull_.low, hull_.high);
    builder_.append_pieces(items_, pieces_);
  }

  builder builder_;
  item_list items_;
  loose_pieces pieces_;
  bounds hull_;
};

}  // namespace detail

constexpr layout bytes(std::int64_t n) {
  detail::require_not_negative("bytes", "the number of bytes", n);
  return n == 0 ? layout() : detail::builder::one_piece(0, n, {0, n, true});
}

namespace detail {

// Returns the bounds of copies, which fit.
constexpr bounds bounds_of_copies(std::int64_t count, std::int64_t stride, layout const& part) {
  bounds hull;
  include_copies(hull, count, stride, part);
  require_copies_fit(count, stride, part, hull);
  return hull;
}

constexpr bool is_tower(layout const& l) {
  return !l.empty() && l.places().empty() && l.tables().empty();
}
// Returns true if one copy has the bytes and bounds of the layout.
constexpr bool is_itself(std::int64_t count, layout const& l) {
  return count == 1 && !l.empty() && l.extent() >= 0;
}

constexpr layout copies_by_builder(std::int64_t count, std::int64_t stride, layout const& inner,
                                   bool whole, bounds const& hull) {
  builder b;
  item_list once, all;
  b.append(once, 0, inner);
  b.append_repeat(all, count, stride, once, whole);
  return b.finish_checked(all, hull);
}

constexpr layout copies_here(std::int64_t count, std::int64_t stride, layout const& inner,
                             bool whole) {
  if (is_itself(count, inner)) return inner;
  bounds const hull = bounds_of_copies(count, stride, inner);
  if (count > 1 && is_tower(inner)) {
    layout tower = inner;
    if (builder::repeat_tower(tower, count, stride, hull)) return tower;
  }
  return copies_by_builder(count, stride, inner, whole, hull);
}

constexpr void multiply_here(layout& form, std::int64_t count, std::int64_t stride) {
  if (is_itself(count, form)) return;
  bounds const hull = bounds_of_copies(count, stride, form);
  if (count > 1 && is_tower(form) && builder::repeat_tower(form, count, stride, hull)) return;
  form = copies_by_builder(count, stride, form, true, hull);
}

// Returns `repeat(count, stride, inner)`. builder::append_repeat explains `whole`.
constexpr layout copies(std::int64_t count, std::int64_t stride, layout const& inner, bool whole) {
  return once([&] { return copies_here(count, stride, inner, whole); },
              [&] { return linked::copies(count, stride, inner, whole); });
}

// Replaces a layout by `repeat(count, stride, form)`. A copy of a layout costs more than most
// changes, so datatypes change theirs in place.
constexpr void multiply(layout& form, std::int64_t count, std::int64_t stride) {
  require_not_negative("repeat", "the count", count);
  once([&] { multiply_here(form, count, stride); }, [&] { linked::multiply(form, count, stride); });
}

constexpr layout table_here(std::span<std::int64_t const> offsets,
                            std::span<std::int64_t const> lengths) {
  if (offsets.size() != lengths.size()) throw_sizes_of_table(offsets.size(), lengths.size());
  assembler all;
  all.reserve(offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    require_not_negative("table", "a length", lengths[i]);
    all.add_bytes(offsets[i], lengths[i]);
  }
  return all.finish_here();
}

constexpr layout table_here(std::span<std::int64_t const> offsets, std::int64_t length) {
  require_not_negative("table", "the length", length);
  assembler all;
  all.reserve(offsets.size());
  for (std::int64_t offset : offsets) all.add_bytes(offset, length);
  return all.finish_here();
}

constexpr layout borrowed_table_here(std::span<std::int64_t const> offsets, std::int64_t length) {
  require_not_negative("borrowed_table", "the length", length);
  bool joins = offsets.size() <= builder::longest_concat || length == 0;
  for (std::size_t i = 1; i < offsets.size() && !joins; ++i)
    joins = offsets[i] == wrapping_add(offsets[i - 1], length);
  if (joins) return table_here(offsets, length);
  builder b;
  item_list all;
  bounds hull;
  piece_table const borrowed = piece_table::borrow(offsets, length);
  hull.include(detail::add(offsets[0], borrowed.low()), detail::add(offsets[0], borrowed.high()));
  b.append_table(all, borrowed, offsets[0]);
  return b.finish(all, hull);
}

}  // namespace detail

constexpr layout repeat(std::int64_t count, std::int64_t stride, layout const& inner) {
  detail::require_not_negative("repeat", "the count", count);
  return detail::copies(count, stride, inner, true);
}

constexpr layout concat(std::span<layout const> parts) {
  detail::assembler all;
  for (layout const& part : parts) all.add(0, part);
  return all.finish();
}

template <std::derived_from<layout>... Layouts>
constexpr layout concat(Layouts const&... parts) {
  detail::assembler all;
  (all.add(0, parts), ...);
  return all.finish();
}

constexpr layout table(std::span<std::int64_t const> offsets,
                       std::span<std::int64_t const> lengths) {
  return detail::once([&] { return detail::table_here(offsets, lengths); },
                      [&] { return detail::linked::table(offsets, lengths); });
}

constexpr layout table(std::span<std::int64_t const> offsets, std::int64_t length) {
  return detail::once([&] { return detail::table_here(offsets, length); },
                      [&] { return detail::linked::table(offsets, length); });
}

constexpr layout detail::borrowed_table(std::span<std::int64_t const> offsets,
                                        std::int64_t length) {
  return once([&] { return borrowed_table_here(offsets, length); },
              [&] { return linked::borrowed_table(offsets, length); });
}

constexpr layout resized(layout const& inner, std::int64_t lower_bound, std::int64_t extent) {
  layout result = inner;
  detail::builder::resize(result, lower_bound, extent);
  return result;
}

constexpr layout at(std::int64_t displacement, layout const& inner) {
  layout result = inner;
  detail::builder::shift(result, displacement);
  return result;
}

}  // namespace argosy
