// An access summary: the requests of all ranks of a collective call in a few numbers. The first
// reduction of the call contains it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include <argosy/extend.hpp>
#include <argosy/policy/access.hpp>

namespace argosy {

namespace extend {

// The numbers of one rank, or of all ranks after the reduction. They are integers, because every
// rank must get the same result, whatever the order of the reduction.
struct access_summary {
  // All requested bytes of the file lie in [low, high).
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = 0;
  std::int64_t bytes = 0;       // requested by all ranks
  std::int64_t most_bytes = 0;  // largest request of one rank
  std::int64_t pieces = 0;      // pieces of all ranks
  std::int64_t most_pieces = 0;
  // The sum of every rank's own high - low. It is larger than high - low of all if ranks
  // interleave.
  std::int64_t spans = 0;
  std::int64_t granule = 0;   // divides all offsets and lengths; 0 if nothing is requested
  std::int64_t alone_ns = 0;  // estimate of the slowest rank for separate access
  std::int64_t alone_sum_ns = 0;
  // File calls of all ranks for separate access, as they estimate it. Shared servers carry out all
  // of them.
  std::int64_t alone_calls = 0;
  std::int64_t alone_bytes = 0;  // bytes that these calls move, with gaps
  std::int32_t ranks = 0;        // ranks that request anything
  // The following are 1 if they are true on some rank.
  std::int16_t pending = 0;  // requests of earlier calls may still write
  // With a cache per node: a rank has written by itself, and other nodes may not see it yet.
  std::int8_t wrote_alone = 0;
  // The view names bytes twice, so its windows are not ranges of its stream.
  std::int8_t unsorted = 0;

  friend constexpr bool operator==(access_summary const&, access_summary const&) = default;

  constexpr bool empty() const noexcept { return ranks == 0; }
  constexpr std::int64_t span() const noexcept { return empty() ? 0 : high - low; }

  // Adds the requests of other ranks: the operation of the reduction.
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

  // Returns the sum; the largest number if the sum is larger.
  static constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
    return a > std::numeric_limits<std::int64_t>::max() - b
               ? std::numeric_limits<std::int64_t>::max()
               : a + b;
  }
};

}  // namespace extend

namespace detail {

// Returns the greatest number that divides `g` and every offset and length of the table; g > 0. The
// power of two is found by the bits of all numbers together. Most granules are powers of two, so
// the odd part is 1 after a few pieces.
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

// Returns the greatest number that divides every offset and length of the pieces; 0 for no bytes.
// O(nodes), and O(pieces) of tables.
constexpr std::int64_t granule_of(layout const& l) {
  if (l.empty()) return 0;
  std::int64_t g = l.origin();
  for (detail::layout_place const& p : l.places()) g = std::gcd(g, p.displacement);
  for (detail::layout_node const& n : l.nodes())
    g = std::gcd(g, n.kind == detail::node_kind::bytes    ? n.size
                    : n.kind == detail::node_kind::repeat ? n.stride
                                                          : 0);
  for (detail::piece_table const& t : l.tables())
    g = detail::granule_of(t, g == 0 ? t.length(0) : g);
  return g < 0 ? -g : g;
}

}  // namespace argosy
