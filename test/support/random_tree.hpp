// Random trees of datatypes, and the same trees through argosy's constructors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/darray.hpp>
#include <argosy/datatype/indexed.hpp>
#include <argosy/datatype/indexed_block.hpp>
#include <argosy/datatype/record.hpp>
#include <argosy/datatype/subarray.hpp>
#include <argosy/datatype/vector.hpp>
#include <argosy/layout/layout.hpp>

#include "tree.hpp"
#include "type_map.hpp"

namespace argosy::test {

using namespace extend;

// --- The same tree through argosy's constructors ---

inline layout to_layout(tree const& t, bounds_rule rule);

inline layout construct(tree const& t, bounds_rule rule) {
  if (t.form == form::leaf) {
    leaf const& l = leaves()[t.leaf];
    std::vector<layout> pieces;
    for (piece const& p : l.pieces) pieces.push_back(at(p.offset, bytes(p.length)));
    layout const data = concat(pieces);
    return data.extent() == l.extent ? data : argosy::resized(data, 0, l.extent);
  }
  std::vector<layout> olds;
  for (tree const& p : t.parts) olds.push_back(to_layout(p, rule));
  layout const& old = olds[0];
  order const way = t.fortran ? order::fortran : order::c;
  switch (t.form) {
    case form::leaf:
    case form::dup:
      return old;
    case form::contiguous:
      return contiguous(t.count, old).form();
    case form::vector:
      return argosy::vector(t.count, t.blocklength, t.stride, old).form();
    case form::hvector:
      return hvector(t.count, t.blocklength, t.stride, old).form();
    case form::indexed:
      return indexed(t.lengths, t.displacements, old).form();
    case form::hindexed:
      return hindexed(t.lengths, t.displacements, old).form();
    case form::indexed_block:
      return indexed_block(t.blocklength, t.displacements, old).form();
    case form::hindexed_block:
      return hindexed_block(t.blocklength, t.displacements, old).form();
    case form::record:
      return record_of(t.lengths, t.displacements, olds);
    case form::subarray:
      return subarray(t.sizes, t.subsizes, t.starts, old, way).form();
    case form::darray:
      return darray(t.sizes, t.rules, t.grid, t.rank, old, way).form();
    case form::resized:
      return argosy::resized(old, t.lower_bound, t.extent);
  }
  return {};
}

// With argosy's own rule the result is unchanged. With MPI's rule, bounds that differ are set by
// hand.
inline layout to_layout(tree const& t, bounds_rule rule) {
  layout const data = construct(t, rule);
  if (rule == bounds_rule::hull && !t.given_bounds) return data;
  limits const want = expand(t, rule).limits;
  bool const agrees = data.lower_bound() == want.low && data.extent() == want.extent();
  return agrees ? data : argosy::resized(data, want.low, want.extent());
}

// --- Growing them ---

struct growth {
  int depth = 4;
  // larger trees are cut back to their parts
  std::size_t most_pieces = 2000;
  // number of elements of leaves() that are used
  std::int64_t leaf_types = static_cast<std::int64_t>(leaves().size());
  // true: strides and extents are beyond 2^31 now and then
  bool huge = true;
};

inline constexpr std::int64_t farthest = std::int64_t{1} << 46;

inline void grow_subarray(engine& random, tree& t, bool far, std::int64_t extent) {
  std::int64_t const d = pick(random, 1, 4);
  bool const wide = far && d <= 2 && extent < 1 << 16;
  for (std::int64_t i = 0; i < d; ++i) {
    std::int64_t const n = wide ? pick(random, 1 << 10, 1 << 18) : pick(random, 1, 7);
    std::int64_t const sub =
        one_in(random, 3) && n < 8 ? n : pick(random, 1, std::min<std::int64_t>(n, 6));
    t.sizes.push_back(n);
    t.subsizes.push_back(sub);
    t.starts.push_back(pick(random, 0, n - sub));
  }
  t.fortran = one_in(random, 2);
}

inline void grow_darray(engine& random, tree& t) {
  std::int64_t const d = pick(random, 1, 4);
  std::int64_t processes = 1;
  for (std::int64_t i = 0; i < d; ++i) {
    std::int64_t const n = pick(random, 1, d == 1 ? 60 : d == 2 ? 12 : 5);
    distribute::rule r{static_cast<distribute::kind>(pick(random, 0, 2)), 0};
    std::int64_t const p = r.kind == distribute::kind::none ? 1 : pick(random, 1, 4);
    if (r.kind == distribute::kind::cyclic && one_in(random, 2)) r.size = pick(random, 1, 5);
    if (r.kind == distribute::kind::block && one_in(random, 2))
      r.size = (n + p - 1) / p + pick(random, 0, 2);
    t.sizes.push_back(n);
    t.rules.push_back(r);
    t.grid.push_back(p);
    processes *= p;
  }
  t.rank = pick(random, 0, processes - 1);
  t.fortran = one_in(random, 2);
}

// Returns false if a tree has too many pieces, or pieces too far apart.
inline bool fits(tree const& t, growth const& g) {
  std::size_t most = 0;
  for (tree const& p : t.parts) most = std::max(most, expand(p, bounds_rule::hull).pieces.size());
  std::size_t copies = 0;
  std::vector<limits> bounds;
  for (tree const& p : t.parts) bounds.push_back(expand(p, bounds_rule::hull).limits);
  for_each_copy(t, bounds, [&](std::int64_t, std::size_t) { ++copies; });
  if (most * copies > g.most_pieces) return false;
  type_map const all = expand(t, bounds_rule::hull);
  bool near = all.limits.low > -farthest && all.limits.high < farthest;
  for (piece const& p : all.pieces) near = near && p.offset > -farthest && p.end() < farthest;
  return near;
}

// Returns a random tree. One that does not fit is replaced by one of its parts.
inline tree grow(engine& random, growth const& g, int depth) {
  tree t;
  if (depth == 0 || one_in(random, 8)) {
    t.leaf = static_cast<std::size_t>(pick(random, 0, g.leaf_types - 1));
    return t;
  }
  t.form = static_cast<form>(pick(random, 1, static_cast<std::int64_t>(forms) - 1));
  t.parts.push_back(grow(random, g, depth - 1));
  if (t.form == form::record)
    for (std::int64_t n = pick(random, 0, 3); n > 0; --n)
      t.parts.push_back(grow(random, g, depth - 1));

  std::int64_t const extent = expand(t.parts[0], bounds_rule::hull).limits.extent();
  bool const far = g.huge && one_in(random, 12);
  auto const count = [&] {
    return one_in(random, 60) ? pick(random, 20, 120) : one_in(random, 12) ? 0 : pick(random, 1, 5);
  };
  auto const length = [&] { return one_in(random, 10) ? 0 : pick(random, 1, 4); };
  auto const in_bytes = [&] {
    std::int64_t const near =
        one_in(random, 3) ? pick(random, -3, 6) * extent : pick(random, -40, 160);
    return far && std::abs(near) < 1 << 16 ? near * (std::int64_t{1} << pick(random, 30, 33))
                                           : near;
  };
  // Returns displacements, in bytes or in extents of a part, which may itself be wide. Half of the
  // lists ascend.
  auto const places = [&](std::int64_t many, bool bytes) {
    list result;
    std::int64_t next = bytes ? in_bytes() : pick(random, -2, 9);
    bool const ascending = one_in(random, 2), even = one_in(random, 3);
    std::int64_t step = bytes ? in_bytes() : pick(random, 0, 7);
    for (; many > 0; --many) {
      result.push_back(next);
      if (!even) step = bytes ? in_bytes() : pick(random, 0, 7);
      next = ascending ? next + (step < 0 ? -step : step)
             : bytes   ? in_bytes()
                       : pick(random, -9, 30);
    }
    return result;
  };
  switch (t.form) {
    case form::leaf:
    case form::dup:
      break;
    case form::contiguous:
      t.count = count();
      break;
    case form::vector:
      t.count = count();
      t.blocklength = length();
      t.stride = one_in(random, 3) ? t.blocklength : pick(random, -4, 9);
      break;
    case form::hvector:
      t.count = count();
      t.blocklength = length();
      t.stride = one_in(random, 6) ? t.blocklength * extent : in_bytes();
      break;
    case form::indexed:
    case form::hindexed:
    case form::indexed_block:
    case form::hindexed_block: {
      std::int64_t const n = one_in(random, 20)   ? pick(random, 17, 60)
                             : one_in(random, 12) ? 0
                                                  : pick(random, 1, 6);
      t.displacements = places(n, t.form == form::hindexed || t.form == form::hindexed_block);
      t.blocklength = length();
      for (std::int64_t i = 0; i < n; ++i) t.lengths.push_back(length());
      break;
    }
    case form::record:
      t.displacements = places(static_cast<std::int64_t>(t.parts.size()), true);
      for (std::size_t i = 0; i < t.parts.size(); ++i) t.lengths.push_back(length());
      break;
    case form::subarray:
      grow_subarray(random, t, far, extent);
      break;
    case form::darray:
      grow_darray(random, t);
      break;
    case form::resized:
      t.lower_bound = one_in(random, 2) ? 0 : in_bytes();
      t.extent = one_in(random, 3) ? extent + pick(random, 0, 16) : std::abs(in_bytes());
      break;
  }
  if (fits(t, g)) return t;
  tree const part = t.parts[0];
  return part;
}

inline tree random_tree(std::uint64_t seed, growth const& g = {}) {
  engine random(seed);
  return grow(random, g, static_cast<int>(pick(random, 1, g.depth)));
}

}  // namespace argosy::test
