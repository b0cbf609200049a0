// File partitioning: the file system is told which node has which part of the file, so that blocks
// are cached where their agents are, and no tokens move. gpfs/fcntl.hpp has the directives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <argosy/error/failure.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/data_shipping.hpp>

namespace argosy::detail {

// What a map says, put together from all ranks by a reduction.
struct agent_nodes {
  static constexpr std::int64_t most = argosy::gpfs::ship_agents_max;
  bool can_be_told = true;  // on all ranks
  bool busy = false;        // on any rank: requests are pending
  std::array<int, static_cast<std::size_t>(most)> node;

  agent_nodes() { node.fill(unknown_node); }
  void combine(agent_nodes const& other) {
    can_be_told = can_be_told && other.can_be_told;
    busy = busy || other.busy;
    for (std::size_t i = 0; i < node.size(); ++i) node[i] = std::max(node[i], other.node[i]);
  }
};

// One rank's part in it. Start and stop wait in the file system for those of all other ranks; the
// simulated one releases whoever waits in vain, because another rank could not say the same, with
// ETIMEDOUT after a while.
class partitioning {
 public:
  // Stripes dealt to so many agents in turn.
  struct stripes {
    std::int64_t bytes = 0, agents = 0;
    friend bool operator==(stripes const&, stripes const&) = default;
  };
  static stripes stripes_of(data_shipping const& how, rank_group const& ranks) {
    return {how.stripe_for(ranks), how.agents_of(ranks)};
  }
  stripes const& asked() const noexcept { return asked_; }
  bool is_on() const noexcept { return asked_ != stripes() && why_not_.empty(); }
  // For reports: that it is on, or why not; empty where nobody asked for it.
  std::string words() const;
  void is_now(stripes const& asked, std::string why_not = {}) {
    asked_ = asked;
    why_not_ = std::move(why_not);
  }

  // Local.
  void add_node(agent_nodes& all, int node, int rank, data_shipping const& how,
                rank_group const& ranks) const noexcept;
  static failure start(any_handle& h, stripes const& wanted, int instances, agent_nodes const& all);
  static failure stop(any_handle& h);

  // Of all ranks: the same answer everywhere.
  static bool is_possible(stripes const& wanted, agent_nodes const& all) noexcept;
  static std::string why_impossible(stripes const& wanted, agent_nodes const& all);

  // What a directive that failed means. Released: because of another rank, which may know more.
  // Ended: the mode is over all the same, and what was cached may be lost.
  static bool was_released(failure const& f);
  static bool has_ended(failure const& f);

 private:
  stripes asked_ = {};
  std::string why_not_ = {};
};

}  // namespace argosy::detail
