// Random trees of datatypes, and what they mean: an expansion into lists that knows nothing of argosy's algebra.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <argosy/datatype/basic.hpp>
#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/darray.hpp>
#include <argosy/datatype/indexed.hpp>
#include <argosy/datatype/indexed_block.hpp>
#include <argosy/datatype/record.hpp>
#include <argosy/datatype/subarray.hpp>
#include <argosy/datatype/vector.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::test {

using engine = std::mt19937_64;
using list = std::vector<std::int64_t>;

inline std::int64_t pick(engine& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}
inline bool one_in(engine& random, std::int64_t n) { return pick(random, 1, n) == 1; }

// --- Leaves: what MPI names ---

struct leaf {
  char const* name;
  std::vector<piece> pieces;
  std::int64_t extent;
};

// The first two have no alignment.
inline std::vector<leaf> const& leaves() {
  static std::vector<leaf> const all{
      {"byte", {{0, 1}}, 1},
      {"char", {{0, 1}}, 1},
      {"short", {{0, 2}}, 2},
      {"int", {{0, 4}}, 4},
      {"float", {{0, 4}}, 4},
      {"double", {{0, 8}}, 8},
      {"double complex", {{0, 16}}, 16},
      {"short_int", {{0, 2}, {4, 4}}, 8},
      {"long_int", {{0, 8}, {8, 4}}, 16},
      {"float_int", {{0, 4}, {4, 4}}, 8},
      {"double_int", {{0, 8}, {8, 4}}, 16},
      {"long_double_int", {{0, 16}, {16, 4}}, 32},
      {"2int", {{0, 4}, {4, 4}}, 8},
      {"f90_real(6)", {{0, 4}}, 4},
      {"f90_complex(15)", {{0, 16}}, 16},
      {"f90_integer(9)", {{0, 4}}, 4},
  };
  return all;
}
inline constexpr std::int64_t leaves_without_alignment = 2;

// The basic types in each, in the same order.
inline std::vector<std::vector<basic>> const& leaf_items() {
  using enum basic;
  static std::vector<std::vector<basic>> const all{
      {byte},           {character},          {int16},        {int32},           {float32},
      {float64},        {float64, float64},   {int16, int32}, {long_int, int32}, {float32, int32},
      {float64, int32}, {long_double, int32}, {int32, int32}, {float32},         {float64, float64},
      {int32},
  };
  return all;
}

// What they are where items have other sizes: side by side.
inline std::vector<leaf> leaves_with(basic_sizes const& sizes) {
  std::vector<leaf> all;
  for (std::size_t i = 0; i < leaves().size(); ++i) {
    std::int64_t bytes = 0;
    for (basic b : leaf_items()[i]) bytes += size_in(sizes, b);
    all.push_back({leaves()[i].name, {{0, bytes}}, bytes});
  }
  return all;
}

// --- Trees ---

enum class form {
  leaf,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  record,
  subarray,
  darray,
  resized
};
inline constexpr std::size_t forms = 13;

inline char const* name_of(form f) {
  constexpr char const* names[forms] = {"leaf",     "dup",      "contiguous",    "vector",         "hvector",
                                        "indexed",  "hindexed", "indexed_block", "hindexed_block", "record",
                                        "subarray", "darray",   "resized"};
  return names[static_cast<std::size_t>(f)];
}

// Members are used as the form needs them; the arguments of MPI's constructors by their names.
struct tree {
  test::form form = form::leaf;
  std::size_t leaf = 0;
  std::int64_t count = 0, blocklength = 0, stride = 0;
  list lengths, displacements;
  list sizes, subsizes, starts, grid;
  std::vector<distribute::rule> rules;
  std::int64_t rank = 0;
  bool fortran = false;
  std::int64_t lower_bound = 0, extent = 0;
  std::vector<tree> parts;

  // Bounds from elsewhere, to be taken instead of the computed ones: MPI pads aligned data as it likes.
  std::optional<std::pair<std::int64_t, std::int64_t>> given_bounds;
};

inline std::string to_text(tree const& t) {
  auto const number = [](std::int64_t n) { return std::to_string(n); };
  auto const numbers = [&](list const& l) {
    std::string text = "{";
    for (std::size_t i = 0; i < l.size(); ++i) text += (i == 0 ? "" : ", ") + number(l[i]);
    return text + "}";
  };
  if (t.form == form::leaf) return leaves()[t.leaf].name;
  std::string text = std::string(name_of(t.form)) + "(";
  switch (t.form) {
    case form::contiguous:
      text += number(t.count) + ", ";
      break;
    case form::vector:
    case form::hvector:
      text += number(t.count) + ", " + number(t.blocklength) + ", " + number(t.stride) + ", ";
      break;
    case form::indexed:
    case form::hindexed:
    case form::record:
      text += numbers(t.lengths) + ", " + numbers(t.displacements) + ", ";
      break;
    case form::indexed_block:
    case form::hindexed_block:
      text += number(t.blocklength) + ", " + numbers(t.displacements) + ", ";
      break;
    case form::subarray:
      text +=
          numbers(t.sizes) + ", " + numbers(t.subsizes) + ", " + numbers(t.starts) + (t.fortran ? ", F, " : ", C, ");
      break;
    case form::darray:
      text += numbers(t.sizes) + ", {";
      for (distribute::rule r : t.rules)
        text += (r.kind == distribute::kind::block    ? "block "
                 : r.kind == distribute::kind::cyclic ? "cyclic "
                                                      : "none ") +
                number(r.size) + ";";
      text += "}, " + numbers(t.grid) + ", rank " + number(t.rank) + (t.fortran ? ", F, " : ", C, ");
      break;
    case form::resized:
      text += number(t.lower_bound) + ", " + number(t.extent) + ", ";
      break;
    default:
      break;
  }
  for (std::size_t i = 0; i < t.parts.size(); ++i) text += (i == 0 ? "" : ", ") + to_text(t.parts[i]);
  return text + ")";
}

// --- The oracle: type maps as MPI defines them ---

// Whose bounds: argosy's are the hull of the parts' bounds. With MPI's markers, a bound that was set by hand (resized,
// subarray, darray) outweighs those of members that have none (MPI 3.1, section 4.1.6). Alignment is not modelled.
enum class bounds_rule { hull, markers };

struct limits {
  std::int64_t low = 0, high = 0;
  bool any = false, low_is_marked = false, high_is_marked = false;
  std::int64_t extent() const { return high - low; }

  void include(limits const& part, std::int64_t displacement, bounds_rule rule) {
    if (!part.any) return;
    include(low, low_is_marked, part.low + displacement, rule == bounds_rule::markers && part.low_is_marked,
            [](auto a, auto b) { return std::min(a, b); });
    include(high, high_is_marked, part.high + displacement, rule == bounds_rule::markers && part.high_is_marked,
            [](auto a, auto b) { return std::max(a, b); });
    any = true;
  }

 private:
  template <class Choose>
  void include(std::int64_t& bound, bool& marked, std::int64_t other, bool other_marked, Choose choose) const {
    if (!any || (other_marked && !marked))
      bound = other;
    else if (marked == other_marked)
      bound = choose(bound, other);
    marked = marked || other_marked;
  }
};

inline std::int64_t owner_of(std::int64_t i, std::int64_t n, std::int64_t processes, distribute::rule r) {
  if (r.kind == distribute::kind::none) return 0;
  if (r.kind == distribute::kind::block) return i / (r.size > 0 ? r.size : (n + processes - 1) / processes);
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
      for (std::int64_t d : t.displacements) block(d * (t.form == form::indexed_block ? extent : 1), t.blocklength);
      return;
    case form::record:
      for (std::size_t i = 0; i < t.lengths.size(); ++i) block(t.displacements[i], t.lengths[i], i);
      return;
    case form::subarray:
    case form::darray:
      break;
  }
  // Arrays: all elements in the order in which they are stored, one at a time.
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
      if (t.form == form::darray) mine = mine && owner_of(index[i], t.sizes[i], t.grid[i], t.rules[i]) == coordinate[i];
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
  std::vector<piece> pieces;  // every leaf of its own
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
      for (piece const& p : parts[part].pieces) result.pieces.push_back({p.offset + displacement, p.length});
      result.limits.include(bounds[part], displacement, rule);
    });
    if (t.form == form::resized) result.limits = {t.lower_bound, t.lower_bound + t.extent, true, true, true};
    if (t.form == form::subarray || t.form == form::darray) {
      std::int64_t high = bounds[0].extent();
      for (std::int64_t n : t.sizes) high *= n;
      result.limits = {0, high, true, true, true};
    }
    // To argosy a part without bytes and without extent is nothing.
    if (rule == bounds_rule::hull && result.pieces.empty() && result.limits.extent() == 0) result.limits.any = false;
  }
  if (t.given_bounds) {
    result.limits.low = t.given_bounds->first;
    result.limits.high = t.given_bounds->first + t.given_bounds->second;
    result.limits.any = true;
  }
  return result;
}

// The maximal contiguous runs, in stream order.
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

// By argosy's own rule nothing is helped along; by MPI's, bounds that differ are set by hand at each level.
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
  std::size_t most_pieces = 2000;                                        // larger trees are cut back to their parts
  std::int64_t leaf_types = static_cast<std::int64_t>(leaves().size());  // how many of leaves() are used
  bool huge = true;                                                      // strides and extents beyond 2^31 now and then
};

inline constexpr std::int64_t farthest = std::int64_t{1} << 46;

inline tree grow(engine& random, growth const& g, int depth) {
  tree t;
  if (depth == 0 || one_in(random, 8)) {
    t.leaf = static_cast<std::size_t>(pick(random, 0, g.leaf_types - 1));
    return t;
  }
  t.form = static_cast<form>(pick(random, 1, static_cast<std::int64_t>(forms) - 1));
  t.parts.push_back(grow(random, g, depth - 1));
  if (t.form == form::record)
    for (std::int64_t n = pick(random, 0, 3); n > 0; --n) t.parts.push_back(grow(random, g, depth - 1));

  std::int64_t const extent = expand(t.parts[0], bounds_rule::hull).limits.extent();
  bool const far = g.huge && one_in(random, 12);
  auto const count = [&] {
    return one_in(random, 60) ? pick(random, 20, 120) : one_in(random, 12) ? 0 : pick(random, 1, 5);
  };
  auto const length = [&] { return one_in(random, 10) ? 0 : pick(random, 1, 4); };
  auto const in_bytes = [&] {
    std::int64_t const near = one_in(random, 3) ? pick(random, -3, 6) * extent : pick(random, -40, 160);
    return far && std::abs(near) < 1 << 16 ? near * (std::int64_t{1} << pick(random, 30, 33)) : near;
  };
  // In extents of a part that is in itself wide, or in bytes; ascending lists are as likely as any others.
  auto const places = [&](std::int64_t many, bool bytes) {
    list result;
    std::int64_t next = bytes ? in_bytes() : pick(random, -2, 9);
    bool const ascending = one_in(random, 2), even = one_in(random, 3);
    std::int64_t step = bytes ? in_bytes() : pick(random, 0, 7);
    for (; many > 0; --many) {
      result.push_back(next);
      if (!even) step = bytes ? in_bytes() : pick(random, 0, 7);
      next = ascending ? next + (step < 0 ? -step : step) : bytes ? in_bytes() : pick(random, -9, 30);
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
      std::int64_t const n = one_in(random, 20) ? pick(random, 17, 60) : one_in(random, 12) ? 0 : pick(random, 1, 6);
      t.displacements = places(n, t.form == form::hindexed || t.form == form::hindexed_block);
      t.blocklength = length();
      for (std::int64_t i = 0; i < n; ++i) t.lengths.push_back(length());
      break;
    }
    case form::record:
      t.displacements = places(static_cast<std::int64_t>(t.parts.size()), true);
      for (std::size_t i = 0; i < t.parts.size(); ++i) t.lengths.push_back(length());
      break;
    case form::subarray: {
      std::int64_t const d = pick(random, 1, 4);
      bool const wide = far && d <= 2 && extent < 1 << 16;
      for (std::int64_t i = 0; i < d; ++i) {
        std::int64_t const n = wide ? pick(random, 1 << 10, 1 << 18) : pick(random, 1, 7);
        std::int64_t const sub = one_in(random, 3) && n < 8 ? n : pick(random, 1, std::min<std::int64_t>(n, 6));
        t.sizes.push_back(n);
        t.subsizes.push_back(sub);
        t.starts.push_back(pick(random, 0, n - sub));
      }
      t.fortran = one_in(random, 2);
      break;
    }
    case form::darray: {
      std::int64_t const d = pick(random, 1, 4);
      std::int64_t processes = 1;
      for (std::int64_t i = 0; i < d; ++i) {
        std::int64_t const n = pick(random, 1, d == 1 ? 60 : d == 2 ? 12 : 5);
        distribute::rule r{static_cast<distribute::kind>(pick(random, 0, 2)), 0};
        std::int64_t const p = r.kind == distribute::kind::none ? 1 : pick(random, 1, 4);
        if (r.kind == distribute::kind::cyclic && one_in(random, 2)) r.size = pick(random, 1, 5);
        if (r.kind == distribute::kind::block && one_in(random, 2)) r.size = (n + p - 1) / p + pick(random, 0, 2);
        t.sizes.push_back(n);
        t.rules.push_back(r);
        t.grid.push_back(p);
        processes *= p;
      }
      t.rank = pick(random, 0, processes - 1);
      t.fortran = one_in(random, 2);
      break;
    }
    case form::resized:
      t.lower_bound = one_in(random, 2) ? 0 : in_bytes();
      t.extent = one_in(random, 3) ? extent + pick(random, 0, 16) : std::abs(in_bytes());
      break;
  }
  // Too many pieces, or too far apart: then one part of it, or else a leaf.
  std::size_t most = 0;
  for (tree const& p : t.parts) most = std::max(most, expand(p, bounds_rule::hull).pieces.size());
  std::size_t copies = 0;
  std::vector<limits> bounds;
  for (tree const& p : t.parts) bounds.push_back(expand(p, bounds_rule::hull).limits);
  for_each_copy(t, bounds, [&](std::int64_t, std::size_t) { ++copies; });
  bool fits = most * copies <= g.most_pieces;
  if (fits) {
    type_map const all = expand(t, bounds_rule::hull);
    fits = all.limits.low > -farthest && all.limits.high < farthest;
    for (piece const& p : all.pieces) fits = fits && p.offset > -farthest && p.end() < farthest;
  }
  if (fits) return t;
  tree const part = t.parts[0];
  return part;
}

inline tree random_tree(std::uint64_t seed, growth const& g = {}) {
  engine random(seed);
  return grow(random, g, static_cast<int>(pick(random, 1, g.depth)));
}

}  // namespace argosy::test
