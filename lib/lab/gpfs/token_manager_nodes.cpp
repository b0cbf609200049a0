// Implements lab/gpfs/detail/token_manager.hpp: nodes that come, go, and are lost.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/token_manager.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace argosy::lab::gpfs::detail {

// Adds a node. It must learn which files are partitioned, because it would otherwise request their
// tokens.
void token_manager::admit(node_id node, instant now, outbox& out) {
  out_ = &out;
  departs_ = now_ = now;
  if (!nodes_.insert(node).second) return;
  using stage = shipping::stage;
  for (auto const& [id, f] : files_) {
    if (f.ship.now != stage::entering && f.ship.now != stage::on) continue;
    tell(node, ship_begin{id, f.ship.epoch, f.ship.map});
    if (f.ship.now == stage::on) tell(node, ship_go{id, f.ship.epoch, f.size, f.allocated});
  }
}

void token_manager::dismiss(node_id node, instant now, outbox& out) {
  out_ = &out;
  departs_ = now_ = now;
  if (!dead_.insert(node).second) return;
  allocate(doubtful(node));
  forget(node);
}

void token_manager::lost(node_id node) {
  if (dead_.contains(node) || !nodes_.contains(node)) return;
  out_->timers.push_back({now_ + duration_of(machine_.lease_s), node});
}

// Returns the blocks whose state only the lost node had: blocks in its write tokens, and blocks of
// partitioned files, of which it may be an owner.
std::vector<file_blocks> token_manager::doubtful(node_id node) const {
  std::vector<file_blocks> all;
  for (auto const& [id, f] : files_) {
    block_set blocks;
    if (f.ship.now != shipping::stage::off && f.ship.now != shipping::stage::gathering)
      blocks.add({0, no_end});
    if (auto const h = f.holders.find(node); h != f.holders.end())
      for (auto const& t : h->second.tokens.tokens())
        if (t.mode == token_mode::write) blocks.add(t.range);
    if (!blocks.empty()) all.push_back({id, std::move(blocks)});
  }
  return all;
}

void token_manager::allocate(std::vector<file_blocks> const& written) {
  for (auto const& [id, blocks] : written)
    if (auto const f = files_.find(id); f != files_.end()) f->second.allocated.add(blocks);
}

// Handles the end of a lease. Servers must refuse further writes of the node before other nodes may
// write there. Servers also report the blocks that it has written: blocks on disk must be found
// again, and blocks that never reached the disk are holes.
void token_manager::expire(std::int64_t timer, instant now, outbox& out) {
  out_ = &out;
  departs_ = now_ = now;
  if (timer < 0) return deadline(timer);
  auto const node = static_cast<node_id>(timer);
  if (!dead_.insert(node).second) return;
  fences_[node] = static_cast<int>(machine_.servers);
  fence const order{node, doubtful(node)};
  for (int s = 0; s < machine_.servers; ++s)
    out.send({role::manager, 0}, {role::server, s}, order, now);
}

void token_manager::buried(node_id node) {
  ++counters_.failed_nodes;
  forget(node);
}

void token_manager::forget(node_id node) {
  for (node_id const other : nodes_) tell(other, node_failed{node});
  std::vector<std::int64_t> rounds;
  for (auto& [query, round] : size_rounds_)
    if (round.awaited.erase(node) > 0) rounds.push_back(query);
  for (std::int64_t const query : rounds) finish_size(query);
  for (auto& [id, f] : files_) {
    f.holders.erase(node);
    f.locks.forget(node);
    tell_locked(f);
    std::erase_if(f.requests, [=](pending const& p) { return p.node == node; });
    std::erase_if(f.instances, [=](auto const& i) { return i.first.first == node; });
    shipping& s = f.ship;
    auto const is_here = [=](auto const& entry) { return entry.first.first == node; };
    if (s.now == shipping::stage::gathering) {
      // The other instances wait for a fixed number of participants, and one of them is dead.
      if (std::any_of(s.starters.begin(), s.starters.end(), is_here)) fail_start(f, ESTALE);
    } else if (s.now != shipping::stage::off) {
      bool const took_part = std::any_of(s.members.begin(), s.members.end(),
                                         [=](instance_id const& m) { return m.first == node; });
      if (took_part) {
        s.failed = true;
        std::erase_if(s.members, [=](instance_id const& m) { return m.first == node; });
        std::erase_if(s.stoppers, is_here);
        std::erase_if(s.starters, is_here);
      }
      s.awaited.erase(node);
      if (s.now == shipping::stage::on)
        stop_ship_if_all(id, f);
      else
        ship_flushed(id, f);
    }
    serve(id, f);
  }
}

}  // namespace argosy::lab::gpfs::detail
