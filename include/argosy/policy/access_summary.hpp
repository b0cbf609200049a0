// An access summary: what all ranks of a collective call ask for together, in a few numbers that
// ride in its first reduction.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include <argosy/policy/access.hpp>

namespace argosy {

// Whole numbers only: every rank must get the same result, in whatever order ranks are combined.
struct access_summary {
  // all wanted bytes of the file lie in [low, high)
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = 0;
  std::int64_t bytes = 0;       // of all ranks
  std::int64_t most_bytes = 0;  // of one rank
  std::int64_t pieces = 0;      // of all ranks
  std::int64_t most_pieces = 0;
  // every rank's own [low, high), added up: more than high - low if they interleave
  std::int64_t spans = 0;
  std::int64_t granule = 0;   // divides all offsets and lengths; 0: nothing is wanted
  std::int64_t alone_ns = 0;  // the time of the slowest rank by itself, as that rank estimates it
  std::int64_t alone_sum_ns = 0;
  // of all ranks by themselves, as they estimate it: shared servers get them all
  std::int64_t alone_calls = 0;
  std::int64_t alone_bytes = 0;  // that these move, holes too
  std::int32_t ranks = 0;        // ranks that want anything
  // 1: on some rank
  std::int16_t pending = 0;     // requests of earlier calls may still write
  std::int8_t wrote_alone = 0;  // where nodes have caches of their own, and others may not find it
  // the view names bytes twice, so its windows are not stretches of its stream
  std::int8_t unsorted = 0;

  friend constexpr bool operator==(access_summary const&, access_summary const&) = default;

  constexpr bool empty() const noexcept { return ranks == 0; }
  constexpr std::int64_t span() const noexcept { return empty() ? 0 : high - low; }

  constexpr void combine(access_summary const& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    bytes = add(bytes, other.bytes);
    most_bytes = std::max(most_bytes, other.most_bytes);
    pieces = add(pieces, other.pieces);
    most_pieces = std::max(most_pieces, other.most_pieces);
    spans = add(spans, other.spans);
    if (granule != other.granule) granule = std::gcd(granule, other.granule);
    alone_ns = std::max(alone_ns, other.alone_ns);
    alone_sum_ns = add(alone_sum_ns, other.alone_sum_ns);
    alone_calls = add(alone_calls, other.alone_calls);
    alone_bytes = add(alone_bytes, other.alone_bytes);
    ranks += other.ranks;
    pending = std::max(pending, other.pending);
    wrote_alone = std::max(wrote_alone, other.wrote_alone);
    unsorted = std::max(unsorted, other.unsorted);
  }

 private:
  static constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
    return a > std::numeric_limits<std::int64_t>::max() - b
               ? std::numeric_limits<std::int64_t>::max()
               : a + b;
  }
};

namespace detail {

// The greatest number that divides `g` and every offset and length of the table; g > 0. Two is
// asked for apart, by the bits of all together: most granules are powers of two, and the odd part
// is 1 after a few pieces.
constexpr std::int64_t granule_of(piece_table const& t, std::int64_t g) {
  std::int64_t bits = g | t.length(0);
  for (std::size_t i = 0; i < t.size(); ++i) bits |= t.offset(i);
  t.with_lengths([&](auto lengths) {
    for (std::int64_t const length : lengths) bits |= length;
  });
  std::int64_t odd = std::gcd(g, t.length(0));
  odd >>= std::countr_zero(static_cast<std::uint64_t>(odd));
  for (std::size_t i = 0; i < t.size() && odd != 1; ++i)
    if (t.offset(i) % odd != 0 || t.length(i) % odd != 0)
      odd = std::gcd(std::gcd(odd, t.offset(i)), t.length(i));
  return odd << std::countr_zero(static_cast<std::uint64_t>(bits));
}

}  // namespace detail

// The greatest number that divides every offset and length of the pieces: 0 for no bytes. O(nodes),
// and O(pieces) of tables.
constexpr std::int64_t granule_of(layout const& l) {
  if (l.empty()) return 0;
  std::int64_t g = l.origin();
  for (place const& p : l.places()) g = std::gcd(g, p.displacement);
  for (node const& n : l.nodes())
    g = std::gcd(g, n.kind == detail::node_kind::bytes    ? n.size
                    : n.kind == detail::node_kind::repeat ? n.stride
                                                          : 0);
  for (detail::piece_table const& t : l.tables())
    g = detail::granule_of(t, g == 0 ? t.length(0) : g);
  return g < 0 ? -g : g;
}

}  // namespace argosy
