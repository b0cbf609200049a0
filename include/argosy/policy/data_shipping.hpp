// data_shipping: every block of the file belongs to one rank, its agent, which does all reads and
// writes of the block. Data travels between agents and all other ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>

#include <argosy/plan/collective_plan.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/detail/defaults.hpp>
#include <argosy/policy/detail/reasons.hpp>

namespace argosy {

// Distributes the file over the agents in stripes, round robin, whatever a call requests. The first
// agent of each node comes first, then the second of each, so that neighbours in the file are on
// different nodes. In collective calls agents work in rounds, like aggregators. Independent calls
// are shipped if agents serve: see docs/use/data_shipping.md.
struct data_shipping {
  static constexpr std::string_view name = "data_shipping";
  // Rounded up to whole blocks of the file system. If 0, 16 blocks.
  std::int64_t stripe_bytes = 0;
  std::int64_t agents = 0;  // 0: up to agents_per_node on each node
  std::int64_t agents_per_node = 8;
  std::int64_t window_bytes = detail::cached_window_bytes;  // window of an agent; at most a stripe
  // Buffers of an independent call, of a stripe each. While one is written, the next arrives.
  std::int64_t buffers = 2;
  bool sparse = false;  // agents access only the requested bytes, never the gaps
  // In collective calls: if false, no rank exchanges a window while another one is accessed.
  bool overlap = true;
  // Ranges per step of guided prefetching, if the file system accepts hints. If 0, no hints.
  std::int64_t max_ranges = detail::ranges_per_step;

  constexpr collective_plan plan(access_kind kind, extend::access_summary const& all,
                                 extend::rank_group const& ranks) const {
    collective_plan p{std::string(name), "", kind, false};
    if (all.empty()) return p.reason = "no rank asks for anything", p;
    if (all.unsorted != 0)
      return p.reason = "a view names bytes twice or out of order, so it has no windows", p;
    p = bound(kind, all.low, all.high, ranks);
    p.granule = std::gcd(all.granule, std::gcd(p.window_bytes, stripe_for(ranks)));
    p.reason = extend::reason_text(&detail::words_of_plan, detail::numbers_of_plan(all));
    return p;
  }
  // Returns the plan for [low, high): its agents, and the windows in which they access it.
  constexpr collective_plan bound(access_kind kind, std::int64_t low, std::int64_t high,
                                  extend::rank_group const& ranks) const {
    collective_plan p{std::string(name), "", kind, true};
    p.sparse = sparse;
    p.overlap = overlap;
    p.max_ranges = max_ranges;
    std::int64_t const stripe = stripe_for(ranks),
                       block = std::max<std::int64_t>(1, ranks.block_bytes);
    p.window_bytes = std::clamp<std::int64_t>(window_bytes, 1, stripe);
    if (p.window_bytes > block) p.window_bytes = p.window_bytes / block * block;
    std::int64_t const n = agents_of(ranks), first = low / stripe, last = (high - 1) / stripe;
    for (std::int64_t a = 0; a < n && low < high; ++a) {
      std::int64_t const from = first + (a - first % n + n) % n, to = from + (last - from) / n * n;
      if (from > last) continue;
      p.domains.push_back({std::max(low, from * stripe), to == last ? high : (to + 1) * stripe,
                           rank_of(a, ranks), stripe, n});
    }
    return p;
  }

  // Returns the bytes of a stripe: whole blocks of the file system.
  constexpr std::int64_t stripe_for(extend::rank_group const& ranks) const {
    std::int64_t const block = std::max<std::int64_t>(1, ranks.block_bytes);
    if (stripe_bytes <= 0) return 16 * block;
    return stripe_bytes > std::numeric_limits<std::int64_t>::max() - block
               ? stripe_bytes / block * block
               : (stripe_bytes + block - 1) / block * block;
  }
  // Returns the number of agents.
  constexpr std::int64_t agents_of(extend::rank_group const& ranks) const {
    return std::clamp<std::int64_t>(agents > 0 ? agents : agents_per_node * ranks.nodes, 1,
                                    ranks.most());
  }
  // Returns the number of the agent of the byte at `offset`.
  constexpr std::int64_t agent_of(std::int64_t offset, extend::rank_group const& ranks) const {
    return offset / stripe_for(ranks) % agents_of(ranks);
  }
  // Returns the rank of an agent.
  constexpr int rank_of(std::int64_t agent, extend::rank_group const& ranks) const {
    return ranks.dealt(agent, agents_of(ranks));
  }

  // Returns the hash for comparison. `max_ranges` is not in it and may differ, because every agent
  // gives its own hints.
  constexpr std::uint64_t key() const {
    return detail::key_of(stripe_bytes, agents, agents_per_node, window_bytes, buffers, sparse,
                          overlap, 1);
  }
  friend constexpr bool operator==(data_shipping const&, data_shipping const&) = default;
};
static_assert(extend::collective_policy<data_shipping>);

}  // namespace argosy
