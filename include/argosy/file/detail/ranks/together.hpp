// How the ranks of an open file exchange data in a collective read or write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/phase.hpp>
#include <argosy/agree/detail/ranks_with.hpp>
#include <argosy/exchange/detail/collective_exchange.hpp>
#include <argosy/exchange/detail/links.hpp>
#include <argosy/exchange/detail/node_stage.hpp>
#include <argosy/exchange/detail/relays.hpp>
#include <argosy/file/detail/ranks/kept_stage.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/host.hpp>
#include <argosy/world/detail/kept.hpp>
#include <argosy/world/self.hpp>

namespace argosy::detail {

// Returns the block size that the file system prefers. If a handle of the program throws, returns a
// usual size, because the other ranks wait for the number.
inline std::int64_t block_bytes_of(any_handle const& file) noexcept {
  try {
    return file.block_bytes();
  } catch (...) {
    return rank_group{}.block_bytes;
  }
}

// State that collective calls share. All ranks make it at the first collective call, so other files
// do not pay for it.
template <agreeing World>
class team {
 public:
  team() = default;
  explicit team(World node) : node_(std::move(node)) {}

  // Returns the group of ranks for plans. Collective at the first call, and at the first call after
  // cb_config_list has changed.
  rank_group const& group(World const& world, open_file& file) {
    std::vector<host_limit> const& hosts = file.hints().values().cb_config_list;
    if (group_ && hosts == hosts_) return *group_;
    World const& near = node(world);
    int first = world.rank();
    near.broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
    std::int64_t const processors = detail::processors_for(near);
    std::string const host = host_name(world);
    bool const leads = near.rank() == 0, allowed = file.in_use().may_aggregate(near.rank(), host);
    struct numbers {
      std::int64_t nodes, processors, block_bytes, eligible;
      std::uint64_t met;  // entries of the list that name a host of this job
      bool scattered;
      void combine(numbers const& other) {
        nodes += other.nodes;
        processors += other.processors;
        block_bytes = std::max(block_bytes, other.block_bytes);
        eligible += other.eligible;
        met |= other.met;
        scattered = scattered || other.scattered;
      }
    } all{leads ? 1 : 0,   leads ? processors : 0,        block_bytes_of(file.handle()),
          allowed ? 1 : 0, file.in_use().hosts_met(host), world.rank() - near.rank() != first};
    world.all_reduce(all);
    file.in_use().tell_hosts(all.eligible, all.met);
    rank_group g{world.size(), all.nodes, all.block_bytes, all.processors};
    // a list that allows no rank is ignored
    if (all.scattered || (all.eligible > 0 && all.eligible < world.size()))
      g.eligible = eligible(world, allowed || all.eligible == 0 ? near.rank() : -1);
    group_ = std::move(g);
    hosts_ = hosts;
    return *group_;
  }

  // Carries out a plan for all ranks together, and agrees on the outcome. `asked` is the summed
  // request of all ranks, `before` an earlier failure on this rank. Returns nullopt if some rank
  // could not get staging memory; then nothing was done. Collective.
  std::optional<agreement> exchange(World const& world, collective_plan const& plan, job const& t,
                                    open_file& file, staging& space, report& done,
                                    access_summary const& asked, failure const& before) {
    in_phase const now(phase::exchange, {.bytes = t.bytes});
    bool relayed = false;
    {
      in_phase const preparing(phase::agreement);
      if (!has_stage(world, plan)) return std::nullopt;
      relayed = plan.layers > 1 && has_relays(world, plan);
    }
    access const wanted = file.access_of(t);
    sieving prices = file.choice().sieving_of_owner();  // each window belongs to one aggregator
    if (plan.sparse) prices.writes = sieving_mode::never;
    merging const how = file.merges().together(asked.pending > 0);
    memory_side memory(t.where->view.representation(), *t.memory);
    exchanging_ = true;
    collective_exchange all(world, held_.ranks, held_.stage, links_, relayed ? &relayed_ : nullptr,
                            plan, asked.bytes, wanted, file.handle(), memory, prices, how, space,
                            done);
    failure f = all.run(t.where->number);
    if (!f) f = memory.fault();
    failure lost;
    bool const kept_apart = file.merges().caches_differ() && t.kind == access_kind::write;
    if (kept_apart) {
      lost = file.reconcile();
      f.keep(lost);
    }
    if (before) f = before;
    agreement result = agree_on_outcome(world, f, phase::waiting);
    exchanging_ = false;
    // Requests and threads of this rank may have cached pages that were not completely written yet.
    if (kept_apart)
      if (failure const late = file.reconcile())
        file.late().add("a write", local_agreement(file.rank(), late));
    // If a rank could not bring all of its data, it does not know which of its windows failed, and
    // counts no bytes. If some rank's data did not reach the file, no rank counts any.
    if (!result && t.kind == access_kind::write) {
      bool const all_came = !kept_apart || !ranks_where(world, static_cast<bool>(lost));
      bool const brought = all_came && done.bytes == t.bytes;
      std::int64_t const settled = all.settled_bytes();
      done.bytes = brought ? settled : 0;
    }
    return result;
  }

  // Keeps the stage with the communicator, for the next file. Local.
  void keep_stage(World const& world) {
    if constexpr (keeping<World>)
      if (shares_ && !exchanging_ && held_.number != 0 && held_.bytes <= most_kept_bytes())
        world.keep(kept_for::stage, std::make_shared<kept_stage>(std::move(held_)));
  }

 private:
  // Returns the eligible ranks, one rank of each node after the other.
  static std::vector<int> eligible(World const& world, int place_in_node) {
    std::vector<int> places(static_cast<std::size_t>(world.size())), ranks;
    world.all_gather(std::as_bytes(std::span(&place_in_node, 1)),
                     std::as_writable_bytes(std::span(places)));
    for (int r = 0; r < world.size(); ++r)
      if (places[static_cast<std::size_t>(r)] >= 0) ranks.push_back(r);
    std::sort(ranks.begin(), ranks.end(), [&](int a, int b) {
      return std::pair(places[static_cast<std::size_t>(a)], a) <
             std::pair(places[static_cast<std::size_t>(b)], b);
    });
    return ranks;
  }
  static std::string host_name(World const& world) {
    if constexpr (requires { world.host_name(); })
      return world.host_name();
    else
      return detail::host_name();
  }

  World const& node(World const& world) {
    if (!node_) node_.emplace(world.node());
    return *node_;
  }

  // If one node cannot share memory, no node does. Then each rank has a stage of its own.
  bool has_stage(World const& world, collective_plan const& plan) {
    stage_size const wanted{static_cast<std::int64_t>(plan.domains.size()), plan.window_bytes,
                            marks::words_for(plan.window_bytes / plan.granule + 1)};
    if (held_.size.holds(wanted)) return true;
    if (std::exchange(is_new_, false) && take_kept(world) && held_.size.holds(wanted)) return true;
    stage_size const next = held_.size.with(wanted);
    held_ = {};
    if (shares_ && !make_stage(world, next)) shares_ = false;
    return shares_ || make_stage(world, next);
  }
  // Makes the stage. Collective.
  bool make_stage(World const& world, stage_size const& n) {
    held_.ranks = take_seats(world);
    auto const ranks = static_cast<std::int64_t>(held_.ranks.ranks.size());
    node_stage::shape const shape{ranks, std::min(n.aggregators, ranks), n.window_bytes,
                                  n.mark_words};
    std::error_code error;
    shared_memory m;
    if constexpr (node_waiting<World>) {
      if (shares_) m = node(world).share(node_stage::bytes_for(shape), error);
    }
    if (!shares_) m = self().share(node_stage::bytes_for(shape), error);
    numbered_outcome all{error ? 1 : 0, world.rank() == 0 ? next_stage_number() : 0};
    world.all_reduce(all);
    if (all.failures != 0) return false;
    held_.stage = node_stage(std::move(m), shape);
    held_.bytes = node_stage::bytes_for(shape);
    held_.size = n;
    held_.number = all.number;
    return true;
  }
  // Takes the stage that the ranks kept when they closed an earlier file. Collective.
  bool take_kept(World const& world) {
    if constexpr (keeping<World>) {
      auto const kept = std::static_pointer_cast<kept_stage>(world.keep(kept_for::stage, nullptr));
      // If threads close several files at the same time, ranks may keep different stages. A world
      // may also say that its nodes are others by now. Then none is used.
      seats const here = take_seats(world);  // collective, also without a stage
      std::uint64_t const mine = kept && kept->ranks == here ? kept->number : 0;
      same_number n{mine, mine};
      world.all_reduce(n);
      if (!n.is_one()) return false;
      held_ = std::move(*kept);
      return true;
    } else {
      return false;
    }
  }
  // If one node has no memory for relays, no node uses them, and ranks send their data themselves.
  bool has_relays(World const& world, collective_plan const& plan) {
    if constexpr (node_waiting<World> && communicator<World>) {
      std::int64_t const nodes = group_->nodes;
      if (!shares_ || !relays_ || nodes < 2) return false;
      stage_size const wanted{most_relays, plan.window_bytes,
                              marks::words_for(plan.window_bytes / plan.granule + 1)};
      if (relays_hold_.holds(wanted)) return true;
      stage_size const next = relays_hold_.with(wanted);
      relays_hold_ = {};
      relayed_ = {};
      auto const ranks = static_cast<std::int64_t>(held_.ranks.ranks.size());
      node_stage::shape const shape{ranks, std::min<std::int64_t>(most_relays, ranks),
                                    next.window_bytes, next.mark_words};
      std::error_code error, table_error;
      shared_memory m = node(world).share(node_stage::bytes_for(shape), error);
      shared_memory table = node(world).share(relay_table::bytes_for(nodes), table_error);
      relays_ = !ranks_where(world, error || table_error);
      if (!relays_) return false;
      relayed_.table = relay_table(world, node(world), held_.ranks, nodes, std::move(table));
      relayed_.stage = node_stage(std::move(m), shape);
      relays_hold_ = next;
      return true;
    } else {
      return false;
    }
  }
  seats take_seats(World const& world) {
    if (!shares_) return {{world.rank()}, 0};
    World const& near = node(world);
    seats result{std::vector<int>(static_cast<std::size_t>(near.size())), near.rank()};
    int const mine = world.rank();
    near.all_gather(std::as_bytes(std::span(&mine, 1)),
                    std::as_writable_bytes(std::span(result.ranks)));
    return result;
  }

  std::optional<World> node_;
  std::optional<rank_group> group_;
  std::vector<host_limit> hosts_;      // the list that the group was made for
  bool shares_ = node_waiting<World>;  // whether the ranks of a node share memory
  kept_stage held_;
  bool is_new_ = true;       // no stage was needed yet
  bool exchanging_ = false;  // an exchange has begun, and has not ended
  link_memory links_;
  bool relays_ = true;  // false: a node had no memory for them
  stage_size relays_hold_;
  relay_memory relayed_;
};

}  // namespace argosy::detail
