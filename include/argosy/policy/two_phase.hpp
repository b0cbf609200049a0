// two_phase: a few ranks, the aggregators, access the file in long windows; data travels between them and all others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include <argosy/plan/collective_plan.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/policy/collective_policy.hpp>

namespace argosy {

struct two_phase {
  static constexpr std::string_view name = "two_phase";
  std::int64_t buffer_bytes = 4 << 20;    // staging memory of an aggregator, in all: two windows fit in
  std::int64_t window_bytes = 512 << 10;  // smaller where the buffer is: data that goes through it stays in cache
  std::int64_t aggregators = 0;           // 0: up to aggregators_per_node on each node
  std::int64_t aggregators_per_node = 8;
  std::int64_t align_bytes = 0;         // domains begin at multiples of it; 0: of the file system's block
  std::int64_t least_domain_bytes = 0;  // fewer aggregators rather than smaller domains; 0: a window

  collective_plan plan(access_kind kind, access_summary const& all, rank_group const& ranks) const {
    collective_plan p{std::string(name), "", kind, false};
    if (all.empty()) return p.reason = "no rank asks for anything", p;
    if (all.unsorted != 0) return p.reason = "a view names bytes twice, so it has no windows", p;
    p.together = true;
    // Coarse marks save little, and would stretch windows.
    p.granule = all.granule > 4096 ? std::gcd(all.granule, std::int64_t{4096}) : std::max<std::int64_t>(1, all.granule);
    std::int64_t const block = std::max<std::int64_t>(1, align_bytes > 0 ? align_bytes : ranks.block_bytes);
    // Marks of a window are whole granules, and windows whole blocks where the buffer has room for one.
    std::int64_t window = std::max<std::int64_t>(1, std::min(window_bytes, buffer_bytes / 2));
    if (window > block) window = window / block * block;
    p.window_bytes = std::max<std::int64_t>(1, window / p.granule) * p.granule;
    domains(p, all, ranks, block);
    p.reason = std::to_string(all.ranks) + " ranks, " + std::to_string(all.pieces) + " pieces in " +
               std::to_string(all.span()) + " bytes of the file, " + std::to_string(all.bytes) + " of them wanted";
    return p;
  }
  std::int64_t most_aggregators(rank_group const& ranks) const {
    std::int64_t const most = aggregators > 0 ? aggregators : aggregators_per_node * ranks.nodes;
    return std::clamp<std::int64_t>(most, 1, ranks.size);
  }
  std::uint64_t key() const {
    return key_of(buffer_bytes, window_bytes, aggregators, aggregators_per_node, align_bytes, least_domain_bytes);
  }
  friend bool operator==(two_phase const&, two_phase const&) = default;

 private:
  // Equal parts of the span, cut at blocks.
  void domains(collective_plan& p, access_summary const& all, rank_group const& ranks, std::int64_t block) const {
    std::int64_t const least = least_domain_bytes > 0 ? least_domain_bytes : p.window_bytes;
    std::int64_t const n = std::clamp<std::int64_t>((all.span() + least - 1) / least, 1, most_aggregators(ranks));
    std::int64_t begin = all.low;
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t end = all.high;
      if (i + 1 < n) {
        std::int64_t const even = all.low + all.span() / n * (i + 1);
        std::int64_t const cut = even - even % block;
        end = std::clamp(cut - cut % p.granule, begin, all.high);
      }
      p.domains.push_back({begin, end, static_cast<int>(i * ranks.size / n)});
      begin = end;
    }
  }
};
static_assert(collective_policy<two_phase>);

}  // namespace argosy
