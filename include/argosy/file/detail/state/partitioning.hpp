// File partitioning: tells the file system which node has which part of the file. Then blocks are
// cached on the nodes of their agents, and no tokens move. gpfs/fcntl.hpp has the directives.
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

// The nodes of the agents, put together from all ranks by a reduction.
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

// One rank's part in the partitioning. Start and stop wait in the file system for all other ranks.
// If another rank cannot make the call, the simulated file system ends the wait after a while, with
// ETIMEDOUT.
class partitioning {
 public:
  // Stripes that are dealt to the agents in turn.
  struct stripes {
    std::int64_t bytes = 0, agents = 0;
    friend bool operator==(stripes const&, stripes const&) = default;
  };
  static stripes stripes_of(data_shipping const& how, rank_group const& ranks) {
    return {how.stripe_for(ranks), how.agents_of(ranks)};
  }
  stripes const& asked() const noexcept { return asked_; }
  bool is_on() const noexcept { return asked_ != stripes() && why_not_.empty(); }
  // Returns for reports that partitioning is on, or why not; empty if it was not asked for.
  std::string words() const;
  void is_now(stripes const& asked, std::string why_not = {}) {
    asked_ = asked;
    why_not_ = std::move(why_not);
  }

  // Adds the node of this rank's agent. Local.
  void add_node(agent_nodes& all, int node, int rank, data_shipping const& how,
                rank_group const& ranks) const noexcept;
  static failure start(any_handle& h, stripes const& wanted, int instances, agent_nodes const& all);
  static failure stop(any_handle& h);

  // Equal on all ranks.
  static bool is_possible(stripes const& wanted, agent_nodes const& all) noexcept;
  static std::string why_impossible(stripes const& wanted, agent_nodes const& all);

  // Return the meaning of a directive's failure. Released: another rank is the cause, and may know
  // more. Ended: the mode is over nevertheless, and cached data may be lost.
  static bool was_released(failure const& f);
  static bool has_ended(failure const& f);

 private:
  stripes asked_ = {};
  std::string why_not_ = {};
};

}  // namespace argosy::detail
