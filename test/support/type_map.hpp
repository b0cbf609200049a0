// The meaning of trees of datatypes: an expansion into lists that uses nothing of argosy's algebra.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/datatype/darray.hpp>
#include <argosy/layout/layout.hpp>

#include "tree.hpp"

namespace argosy::test {

using namespace extend;

// --- The oracle: type maps as MPI defines them ---

// The rule for bounds. `hull`: argosy's bounds, the hull of the parts' bounds. `markers`: MPI's,
// where a bound that was set by hand (resized, subarray, darray) outweighs those of members that
// have none (MPI 3.1, section 4.1.6). Alignment is not modelled.
enum class bounds_rule { hull, markers };

struct limits {
  std::int64_t low = 0, high = 0;
  bool any = false, low_is_marked = false, high_is_marked = false;
  std::int64_t extent() const { return high - low; }

  void include(limits const& part, std::int64_t displacement, bounds_rule rule) {
    if (!part.any) return;
    include(low, low_is_marked, part.low + displacement,
            rule == bounds_rule::markers && part.low_is_marked,
            [](auto a, auto b) { return std::min(a, b); });
    include(high, high_is_marked, part.high + displacement,
            rule == bounds_rule::markers && part.high_is_marked,
            [](auto a, auto b) { return std::max(a, b); });
    any = true;
  }

 private:
  template <class Choose>
  void include(std::int64_t& bound, bool& marked, std::int64_t other, bool other_marked,
               Choose choose) const {
    if (!any || (other_marked && !marked))
      bound = other;
    else if (marked == other_marked)
      bound = choose(bound, other);
    marked = marked || other_marked;
  }
};

inline std::int64_t owner_of(std::int64_t i, std::int64_t n, std::int64_t processes,
                             distribute::rule r) {
  if (r.kind == distribute::kind::none) return 0;
  if (r.kind == distribute::kind::block)
    return i / (r.size > 0 ? r.size : (n + processes - 1) / processes);
  return i / std::max<std::int64_t>(r.size, 1) % processes;
}

// Calls f(displacement, part) for every copy of a part, in the order of the type map.
template <class F>
void for_each_copy(tree const& t, std::vector<limits> const& parts, F f) {
  std::int64_t const extent = parts.empty() ? 0 : parts[0].extent();
  auto const block = [&](std::int64_t displacement, std::int64_t length, std::size_t part = 0) {
    for (std::int64_t k = 0; k < length; ++k) f(displacement + k * parts[part].extent(), part);
  };
  switch (t.form) {
    case form::leaf:
      return;
    case form::dup:
    case form::resized:
      return f(0, 0);
    case form::contiguous:
      return block(0, t.count);
    case form::vector:
    case form::hvector:
      for (std::int64_t i = 0; i < t.count; ++i)
        block(i * t.stride * (t.form == form::vector ? extent : 1), t.blocklength);
      return;
    case form::indexed:
    case form::hindexed:
      for (std::size_t i = 0; i < t.lengths.size(); ++i)
        block(t.displacements[i] * (t.form == form::indexed ? extent : 1), t.lengths[i]);
      return;
    case form::indexed_block:
    case form::hindexed_block:
      for (std::int64_t d : t.displacements)
        block(d * (t.form == form::indexed_block ? extent : 1), t.blocklength);
      return;
    case form::record:
      for (std::size_t i = 0; i < t.lengths.size(); ++i) block(t.displacements[i], t.lengths[i], i);
      return;
    case form::subarray:
    case form::darray:
      break;
  }
  // Walks all elements of an array in the order in which they are stored, one at a time.
  std::size_t const d = t.sizes.size();
  list index(d, 0), first(d, 0), last(t.sizes), coordinate(d, 0);
  if (t.form == form::subarray)
    for (std::size_t i = 0; i < d; ++i) {
      first[i] = t.starts[i];
      last[i] = t.starts[i] + t.subsizes[i];
    }
  else
    for (std::size_t i = d, rest = static_cast<std::size_t>(t.rank); i-- > 0;
         rest /= static_cast<std::size_t>(t.grid[i]))
      coordinate[i] = static_cast<std::int64_t>(rest) % t.grid[i];
  for (std::size_t i = 0; i < d; ++i)
    if (first[i] == last[i]) return;
  auto const fastest = [&](std::size_t k) { return t.fortran ? k : d - 1 - k; };
  index = first;
  for (;;) {
    bool mine = true;
    std::int64_t linear = 0, step = 1;
    for (std::size_t k = 0; k < d; ++k) {
      std::size_t const i = fastest(k);
      linear += index[i] * step;
      step *= t.sizes[i];
      if (t.form == form::darray)
        mine = mine && owner_of(index[i], t.sizes[i], t.grid[i], t.rules[i]) == coordinate[i];
    }
    if (mine) f(linear * extent, 0);
    std::size_t k = 0;
    for (; k < d; ++k) {
      std::size_t const i = fastest(k);
      if (++index[i] < last[i]) break;
      index[i] = first[i];
    }
    if (k == d) return;
  }
}

struct type_map {
  std::vector<piece> pieces;  // one piece per leaf
  test::limits limits;
};

inline type_map expand(tree const& t, bounds_rule rule, std::vector<leaf> const& table = leaves()) {
  type_map result;
  if (t.form == form::leaf) {
    leaf const& l = table[t.leaf];
    result.pieces = l.pieces;
    result.limits = {0, l.extent, true, false, false};
  } else {
    std::vector<type_map> parts;
    std::vector<test::limits> bounds;
    for (tree const& p : t.parts) {
      parts.push_back(expand(p, rule, table));
      bounds.push_back(parts.back().limits);
    }
    for_each_copy(t, bounds, [&](std::int64_t displacement, std::size_t part) {
      for (piece const& p : parts[part].pieces)
        result.pieces.push_back({p.offset + displacement, p.length});
      result.limits.include(bounds[part], displacement, rule);
    });
    if (t.form == form::resized)
      result.limits = {t.lower_bound, t.lower_bound + t.extent, true, true, true};
    if (t.form == form::subarray || t.form == form::darray) {
      std::int64_t high = bounds[0].extent();
      for (std::int64_t n : t.sizes) high *= n;
      result.limits = {0, high, true, true, true};
    }
    // argosy ignores a part that has neither bytes nor extent.
    if (rule == bounds_rule::hull && result.pieces.empty() && result.limits.extent() == 0)
      result.limits.any = false;
  }
  if (t.given_bounds) {
    result.limits.low = t.given_bounds->first;
    result.limits.high = t.given_bounds->first + t.given_bounds->second;
    result.limits.any = true;
  }
  return result;
}

// Returns the maximal contiguous runs, in stream order.
inline std::vector<piece> joined(std::vector<piece> const& pieces) {
  std::vector<piece> result;
  for (piece const& p : pieces) {
    if (p.length == 0) continue;
    if (!result.empty() && result.back().end() == p.offset)
      result.back().length += p.length;
    else
      result.push_back(p);
  }
  return result;
}

}  // namespace argosy::test
