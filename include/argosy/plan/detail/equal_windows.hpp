// Finds equal domains by an offset or a rank, and counts their windows, without a walk over all of
// them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <argosy/plan/domain_list.hpp>

namespace argosy::detail {

// Returns the first domain that ends behind `offset`. Precondition: `offset` lies in [low, high).
// O(log) of the domains that one block or granule may hold.
constexpr std::int64_t domain_at(equal_domains const& d, std::int64_t offset) noexcept {
  std::int64_t const last = d.count - 1, each = (d.high - d.low) / d.count;
  // A cut lies less than a block and a granule before its even place, and never behind it.
  std::int64_t from = each == 0 ? 0 : std::min(last, (offset - d.low) / each);
  std::int64_t to =
      each == 0 ? last : std::min(last, from + 1 + d.block / each + 1 + d.granule / each);
  while (from < to) {
    std::int64_t const middle = from + (to - from) / 2;
    if (d.cut(middle + 1) > offset)
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

// Returns the indices of the domains of these ranks, in ascending order. `ranks` ascends. O(ranks)
// for equal domains.
constexpr std::vector<std::size_t> domains_of(domain_list const& all, std::span<int const> ranks) {
  std::vector<std::size_t> found;
  if (equal_domains const* const d = all.equal()) {
    std::int64_t const n = std::max<std::int64_t>(1, d->ranks);
    for (int const r : ranks)
      for (std::int64_t i = (r * d->count + n - 1) / n; i < d->count && d->rank(i) == r; ++i)
        found.push_back(static_cast<std::size_t>(i));
  } else {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (std::binary_search(ranks.begin(), ranks.end(), all[i].rank)) found.push_back(i);
  }
  return found;
}

// Numbers at one distance: first, first + step, and so on.
struct progression {
  std::int64_t first = 0;
  std::int64_t step = 0;
  std::int64_t count = 0;

  // Returns how many of the numbers leave a remainder in [from, to) when `unit` divides them.
  // Precondition: 0 <= from <= to <= unit. O(log).
  constexpr std::int64_t with_remainder(std::int64_t unit, std::int64_t from,
                                        std::int64_t to) const noexcept {
    if (count <= 0 || from >= to) return 0;
    std::int64_t const rest = first % unit;
    return static_cast<std::int64_t>(floors(unit, rest + (unit - from)) -
                                     floors(unit, rest + (unit - to)));
  }

 private:
  // Returns the sum of (start + i * step) / unit for all i in [0, count), modulo 2^64. The sum
  // counts points below a line. Each turn of the loop swaps the axes, as in Euclid's algorithm.
  constexpr std::uint64_t floors(std::int64_t unit, std::int64_t start) const noexcept {
    auto n = static_cast<std::uint64_t>(count), m = static_cast<std::uint64_t>(unit),
         a = static_cast<std::uint64_t>(step), b = static_cast<std::uint64_t>(start);
    for (std::uint64_t sum = 0;;) {
      sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
      a %= m;
      b %= m;
      std::uint64_t const end = a * n + b;
      if (end < m) return sum;
      n = end / m;
      b = end % m;
      std::swap(m, a);
    }
  }
};

// Numbers of windows: of all domains, and of the domain with most.
struct window_counts {
  std::int64_t all = 0;
  std::int64_t most = 0;
  constexpr void add(std::int64_t windows) noexcept {
    all += windows;
    most = std::max(most, windows);
  }
};

// Returns the number of windows that have bytes of [begin, end). Windows begin at multiples of
// their size.
constexpr std::int64_t windows_between(std::int64_t begin, std::int64_t end,
                                       std::int64_t window_bytes) noexcept {
  return begin == end ? 0 : (end - 1) / window_bytes - begin / window_bytes + 1;
}

// Returns the numbers of windows of equal domains in O(log). Returns nothing if cuts and windows
// have no common period that is one of both, or if a granule or block may hold several cuts.
constexpr std::optional<window_counts> windows_of(equal_domains const& d,
                                                  std::int64_t window_bytes) noexcept {
  std::int64_t const each = (d.high - d.low) / d.count;
  bool const fine = window_bytes % d.block == 0;  // windows are whole blocks
  if (each == 0 || window_bytes % d.granule != 0) return {};
  if (!fine && (d.block % window_bytes != 0 || d.block % d.granule != 0)) return {};
  // Places before rounding with the same remainder by `unit` have cuts with the same remainder.
  std::int64_t const unit = fine ? window_bytes : d.block, windows = unit / window_bytes;
  // A cut is the begin of a window if its place has a remainder below `whole`.
  std::int64_t const whole = fine ? (d.granule + d.block - 1) / d.block * d.block : unit;
  if (fine && each < whole) return {};

  window_counts n;
  std::int64_t const first = domain_at(d, d.low) + 1;  // domains before first - 1 are empty
  n.add(windows_between(d.low, d.cut(first), window_bytes));
  if (first == d.count) return n;
  n.add(windows_between(d.cut(d.count - 1), d.high, window_bytes));
  // Domains between the first cut and the last. A window that holds a cut counts for both sides.
  std::int64_t const low = d.low + first * each, high = d.low + (d.count - 1) * each;
  progression const ends{low + each, each, d.count - 1 - first};
  if (ends.count == 0) return n;
  n.all += windows * (high / unit - low / unit) + ends.with_remainder(unit, whole, unit);
  std::int64_t const part = each % unit;
  bool const passes = ends.with_remainder(unit, 0, part) > 0;  // one more unit begins in a domain
  std::int64_t most = (each / unit + (passes ? 1 : 0)) * windows;
  if (ends.with_remainder(unit, whole, passes ? part : unit) > 0) ++most;
  n.most = std::max(n.most, most);
  return n;
}

}  // namespace argosy::detail
