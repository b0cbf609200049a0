// Implements lab/gpfs/detail/token_manager.hpp: files that are partitioned among nodes, from the
// first start to the last stop.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/token_manager.hpp>

#include <algorithm>
#include <cerrno>

namespace argosy::lab::gpfs::detail {

// Takes the time of one directive, which the manager's answers wait for.
void token_manager::take_directive() {
  departs_ = service_.take(now_, duration_of(machine_.ship_task_us * 1e-6));
}

void token_manager::on(node_id from, ship_start const& m) {
  take_directive();
  file& f = files_.at(m.file);
  shipping& s = f.ship;
  using stage = shipping::stage;
  instance_id const id{from, m.instance};
  if (!f.instances.contains(id)) return tell(from, ship_done{m.call, EINVAL});
  if (s.now != stage::off && s.now != stage::gathering)
    return tell(from, ship_done{m.call, EINVAL});
  if (s.now == stage::off) {
    std::int64_t const others = std::count_if(files_.begin(), files_.end(), [](auto const& other) {
      return other.second.ship.now != stage::off;
    });
    if (others >= machine_.ship_files_max) return tell(from, ship_done{m.call, ENOMEM});
    s = {};
    s.now = stage::gathering;
    set_deadline(s);
  }
  if (s.starters.contains(id)) return tell(from, ship_done{m.call, EINVAL});
  bool const differs =
      !s.starters.empty() && s.starters.begin()->second.start.instances != m.instances;
  s.starters[id] = {m.call, m};
  if (differs)
    return fail_start(f, EINVAL);  // no instance may wait for a start that cannot succeed
  start_ship_if_all(m.file, f);
}

void token_manager::fail_start(file& f, int error) {
  for (auto const& [id, w] : f.ship.starters) tell(id.first, ship_done{w.call, error});
  f.ship = {};
}

void token_manager::start_ship_if_all(file_id id, file& f) {
  shipping& s = f.ship;
  ship_start const& first = s.starters.begin()->second.start;
  if (static_cast<std::int64_t>(s.starters.size()) < first.instances) return;
  std::set<node_id> nodes;
  for (auto const& [member, w] : s.starters) {
    nodes.insert(member.first);
    if (w.start.map != first.map) return fail_start(f, EINVAL);
  }
  for (auto const& [other, i] : f.instances)
    if (i.write && !s.starters.contains(other)) return fail_start(f, EPERM);
  s.map = first.map.value_or(partition_map{});
  if (!first.map) s.map.owners.assign(nodes.begin(), nodes.end());
  for (node_id const owner : s.map.owners)
    if (!nodes.contains(owner)) return fail_start(f, EINVAL);

  s.now = shipping::stage::entering;
  s.deadline = 0;
  s.epoch = ++next_epoch_;
  for (auto const& [member, w] : s.starters) s.members.insert(member);
  for (node_id const node : nodes_) {
    if (dead_.contains(node)) continue;
    s.awaited.insert(node);
    tell(node, ship_begin{id, s.epoch, s.map});
  }
  serve(id, f);
}

void token_manager::on(node_id from, ship_ready const& m) {
  file& f = files_.at(m.file);
  f.size.learn(m.size);
  if (m.size.generation == f.size.generation) f.allocated.add(m.allocated);
  if (m.epoch != f.ship.epoch || f.ship.awaited.erase(from) == 0) return;
  if (m.error != 0) f.ship.error = m.error;
  ship_flushed(m.file, f);
}

// Call it after every change of the nodes that are awaited.
void token_manager::ship_flushed(file_id id, file& f) {
  shipping& s = f.ship;
  using stage = shipping::stage;
  if (!s.awaited.empty()) return;
  if (s.now == stage::entering) {
    s.now = stage::on;
    for (auto& [node, h] : f.holders) h.tokens = {};
    for (node_id const node : nodes_) tell(node, ship_go{id, s.epoch, f.size, f.allocated});
    int const error = s.failed ? ESTALE : 0;
    for (auto const& [member, w] : s.starters) tell(member.first, ship_done{w.call, error});
    stop_ship_if_all(id, f);
  } else if (s.now == stage::leaving) {
    int const error = s.failed ? ESTALE : s.error != 0 ? EIO : 0;
    for (auto const& [member, call] : s.stoppers)
      if (call >= 0) tell(member.first, ship_done{call, error});
    s = {};
    serve(id, f);
  }
}

void token_manager::on(node_id from, ship_stop const& m) {
  take_directive();
  file& f = files_.at(m.file);
  instance_id const id{from, m.instance};
  if (f.ship.now != shipping::stage::on || !f.ship.members.contains(id) ||
      f.ship.stoppers.contains(id))
    return tell(from, ship_done{m.call, EINVAL});
  f.ship.stoppers[id] = m.call;
  if (f.ship.deadline == 0) set_deadline(f.ship);
  stop_ship_if_all(m.file, f);
}

void token_manager::stop_ship_if_all(file_id id, file& f) {
  shipping& s = f.ship;
  if (s.now != shipping::stage::on || s.stoppers.size() < s.members.size()) return;
  s.now = shipping::stage::leaving;
  s.deadline = 0;
  s.error = 0;
  for (node_id const node : nodes_) {
    if (dead_.contains(node)) continue;
    s.awaited.insert(node);
    tell(node, ship_end{id, s.epoch});
  }
  ship_flushed(id, f);
}

void token_manager::on(node_id from, ship_interrupt const& m) {
  file& f = files_.at(m.file);
  shipping& s = f.ship;
  instance_id const id{from, m.instance};
  if (s.now == shipping::stage::gathering && s.starters.contains(id)) {
    fail_start(f, EINTR);
  } else if (s.now == shipping::stage::on && s.stoppers.contains(id)) {
    fail_stop(s, EINTR);
  }
}

// Fails the calls that wait for the end of partitioning, which stays on.
void token_manager::fail_stop(shipping& s, int error) {
  s.deadline = 0;
  std::erase_if(s.stoppers, [&](auto const& stopper) {
    if (stopper.second < 0) return false;  // an instance that was closed stays stopped
    tell(stopper.first.first, ship_done{stopper.second, error});
    return true;
  });
}

// Starts the timer after which no call waits for a missing participant any more.
void token_manager::set_deadline(shipping& s) {
  if (machine_.ship_wait_s <= 0) return;
  s.deadline = --last_deadline_;
  out_->timers.push_back({now_ + duration_of(machine_.ship_wait_s), s.deadline});
}

void token_manager::deadline(std::int64_t timer) {
  for (auto& [id, f] : files_) {
    if (f.ship.deadline != timer) continue;
    if (f.ship.now == shipping::stage::gathering)
      fail_start(f, ETIMEDOUT);
    else
      fail_stop(f.ship, ETIMEDOUT);
    return;
  }
}

}  // namespace argosy::lab::gpfs::detail
