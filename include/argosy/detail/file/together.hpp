// How the ranks of an open file work together in a collective read or write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/detail/file/open_file.hpp>
#include <argosy/exchange/converted_memory.hpp>
#include <argosy/exchange/memory_side.hpp>
#include <argosy/exchange/node_exchange.hpp>
#include <argosy/exchange/node_stage.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// What collective calls keep between them. Made at the first one, by all ranks: a file that is used without pays nothing.
template <communicator World>
class team {
 public:
  team() = default;
  explicit team(World node) : node_(std::move(node)) {}

  // Collective at the first call.
  rank_group const& group(World const& world, any_handle& file) {
    if (group_) return *group_;
    struct numbers {
      std::int64_t nodes, block_bytes;
      void combine(numbers const& other) {
        nodes += other.nodes;
        block_bytes = std::max(block_bytes, other.block_bytes);
      }
    } all{node(world).rank() == 0 ? 1 : 0, file.block_bytes()};
    world.all_reduce(all);
    group_ = rank_group{world.size(), all.nodes, all.block_bytes};
    return *group_;
  }

  // Carries out a plan for all ranks together. `prepared` is false where what it takes could not be had: then nothing was
  // done, on any rank. Collective.
  failure carry_out(World const& world, collective_plan const& plan, job const& t, open_file& file, staging& space,
                    report& done, bool others_write, bool& prepared) {
    prepared = false;
    if constexpr (node_waiting<World>) {
      if (node(world).size() == world.size() && has_stage(plan)) {
        prepared = true;
        return exchange(world, plan, t, file, space, done, others_write);
      }
    }
    return {};
  }

  // After an agreement that something failed in it: what this rank wrote all the same.
  std::int64_t settled(collective_plan const& plan, access const& mine) { return settled_bytes(stage_, plan, mine); }

 private:
  World const& node(World const& world) {
    if (!node_) node_.emplace(world.node());
    return *node_;
  }

  bool has_stage(collective_plan const& plan) {
    node_stage::shape const wanted{node_->size(), static_cast<std::int64_t>(plan.domains.size()), plan.window_bytes,
                                   marks::words_for(plan.window_bytes / plan.granule + 1)};
    if (stage_.size().holds(wanted)) return true;
    node_stage::shape const old = stage_.size();
    node_stage::shape const next{wanted.ranks, std::max(wanted.aggregators, old.aggregators),
                                 std::max(wanted.window_bytes, old.window_bytes),
                                 std::max(wanted.mark_words, old.mark_words)};
    stage_ = {};
    std::error_code error;
    shared_memory m = node_->share(node_stage::bytes_for(next), error);
    if (error) return false;
    stage_ = node_stage(std::move(m), next);
    return true;
  }

  failure exchange(World const& world, collective_plan const& plan, job const& t, open_file& file, staging& space,
                   report& done, bool others_write) {
    access const wanted = file.access_of(t);
    sieving prices = file.sieving_of_hints();
    prices.sharers = 1;  // windows belong to one aggregator each: nobody waits
    // Windows belong to one aggregator each, so ranks of this call are no danger to each other.
    merging how = file.merging_for(t.kind);
    if (how == merging::alone && others_write) how = merging::locked;
    representation const& r = t.where->view.representation();
    failure f;
    if (r.converts()) {
      converted_memory memory(r, t.memory.form, t.memory.types, t.memory.address);
      f = node_exchange(world, stage_, plan, wanted, file.handle, memory, prices, how, space, done).run();
      if (!f && !memory.fits()) f = {errc::conversion, "in representation " + std::string(r.name())};
    } else {
      native_memory memory(t.memory.form, t.memory.address);
      f = node_exchange(world, stage_, plan, wanted, file.handle, memory, prices, how, space, done).run();
    }
    return f;
  }

  std::optional<World> node_;
  std::optional<rank_group> group_;
  node_stage stage_;
};

}  // namespace argosy::detail
