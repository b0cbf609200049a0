// Implements gpfs_state.hpp: calls that wait in virtual time, and what a run does to the system.
// SPDX-License-Identifier: BSD-3-Clause
#include "gpfs_state.hpp"

#include <algorithm>
#include <cerrno>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace argosy::lab::detail {

gpfs_state::gpfs_state(gpfs::machine const& m, int nodes, gpfs::troubles const& t, contents kept)
    : system(m, nodes, t, {}, kept) {
  system.on_completion = [this](gpfs::loopback::ticket const& k,
                                gpfs::detail::completion const& c) { completed(k, c); };
}

void gpfs_state::settle() {
  system.run();
  calls_.clear();
}

void gpfs_state::enter(scheduler& s) {
  if (run_ == s.run_number()) return;
  settle();
  run_ = s.run_number();
  began_ = system.now();
  system.order_by([this, &s](gpfs::detail::instant at, std::uint64_t event) {
    if (queued_++ == 0) alive_ = shared_from_this();
    s.post(time_of(at), [this, event] {
      std::shared_ptr<gpfs_state> const last = --queued_ == 0 ? std::move(alive_) : nullptr;
      system.happen(event);
    });
  });
  s.when_ended.push_back([keep = weak_from_this()] {
    auto const state = keep.lock();
    if (!state) return;
    state->system.order_by({});
    state->queued_ = 0;
    state->alive_.reset();
  });
  if (system.hardware().shared_adapters > 0)
    s.adapters = [this, keep = weak_from_this()](int node, bool leaves, picoseconds at,
                                                 picoseconds takes) {
      if (takes == 0 || keep.expired() || node >= system.nodes()) return at + takes;
      gpfs::detail::instant const from = instant_of(at),
                                  passing = gpfs::detail::instant(takes / 1000);
      gpfs::detail::fabric& net = system.network();
      return std::max(at + takes, time_of(leaves ? net.leave(node, from, passing)
                                                 : net.enter(node, from, passing)));
    };
  count_processors(s.scenario().network.node_processors > 0);
  s.when_lost.push_back([this, &s, keep = weak_from_this()](rank_state& r) {
    if (keep.expired() || r.node >= system.nodes()) return;
    for (int i = 0; i < s.scenario().ranks; ++i)
      if (s.rank(i).node == r.node && !s.rank(i).dead) return;
    system.kill(r.node);
    refuse_all_of(r.node, instant_of(r.death));
  });
}

void gpfs_state::count_processors(bool counted) {
  for (int n = 0; n < system.nodes(); ++n) {
    if (!counted) {
      system.client(n).set_processors({});
      continue;
    }
    system.client(n).set_processors(
        [this, n](std::int64_t owner, gpfs::detail::instant at, gpfs::detail::instant takes) {
          scheduler* const s = scheduler::running();
          if (!s || run_ != s->run_number()) return at + takes;
          picoseconds const from = time_of(at), length = ps_of_ns(takes.count());
          picoseconds const done = owner > 0 ? s->worked(s->rank_of(owner - 1), from, length)
                                             : s->worked_beside(n, from, length);
          return instant_of(done);
        });
  }
}

void gpfs_state::completed(gpfs::loopback::ticket const& t, gpfs::detail::completion const& c) {
  auto const found = calls_.find(t);
  if (found == calls_.end()) return;
  auto const p = std::move(found->second);
  calls_.erase(found);
  p->result = c;
  p->done = true;
  if (p->abandoned && p->is_open && c.error == 0) close_later(t.node, static_cast<int>(c.value));
  if (scheduler* const s = scheduler::running(); s && p->who) s->wake(*p->who, time_of(c.at));
}

void gpfs_state::refuse_all_of(int node, gpfs::detail::instant at) {
  std::vector<gpfs::loopback::ticket> left;
  for (auto const& [t, p] : calls_)
    if (t.node == node) left.push_back(t);
  for (auto const& t : left) completed(t, {0, 0, ESTALE, at});
}

gpfs::detail::completion gpfs_state::carry(file_action& act, int node, gpfs::detail::call c,
                                           std::string const& words) {
  if (system.is_dead(node)) return {0, 0, ESTALE, {}};
  auto const p = std::make_shared<pending>();
  p->is_open = c.kind == gpfs::detail::call_kind::open;
  bool const is_read = c.kind == gpfs::detail::call_kind::read;
  bool const is_write = c.kind == gpfs::detail::call_kind::write;
  // The caller's memory then only gives the length, and is not accessed.
  bool const hollow = (is_read || is_write) && system.client(node).is_hollow(c.instance);
  std::span<std::byte> const into = c.kind == gpfs::detail::call_kind::fcntl ? c.argument : c.into;
  if (!hollow) {
    if (c.kind == gpfs::detail::call_kind::fcntl)
      p->memory.assign(into.begin(), into.end());
    else if (is_write)
      p->memory.assign(c.from.begin(), c.from.end());
    else
      p->memory.resize(into.size());
    (c.kind == gpfs::detail::call_kind::fcntl ? c.argument : c.into) = p->memory;
    c.from = p->memory;
  }

  scheduler* const s = act ? act.operator->() : nullptr;
  if (s) {
    enter(*s);
    system.pass(instant_of(s->now().time));
  }
  calls_[system.start(node, std::move(c))] = p;
  if (s) {
    p->who = &s->now();
    try {
      s->block({.kind = call_kind::file, .words = &words});
    } catch (...) {
      p->who = nullptr;
      p->abandoned = true;
      throw;
    }
  } else {
    while (!p->done)
      if (!system.step())
        throw std::logic_error(
            "argosy::lab::virtual_gpfs: no event is left that could end the wait for " + words);
  }
  if (hollow) return p->result;
  // A directive may change all of its argument. A read changes only the bytes that it has read.
  std::int64_t const moved = is_read ? p->result.value : static_cast<std::int64_t>(into.size());
  std::copy_n(p->memory.begin(), moved, into.begin());
  return p->result;
}

void gpfs_state::close_later(int node, int instance) {
  gpfs::detail::call c;
  c.kind = gpfs::detail::call_kind::close;
  c.instance = instance;
  scheduler* const s = scheduler::running();
  bool const timed = s && s->in_task() && run_ == s->run_number();
  system.start_later(node, std::move(c), timed ? instant_of(s->now().time) : system.now());
}

int gpfs_state::node_here() const {
  if (scheduler* const s = scheduler::running(); s && s->in_task()) {
    if (s->me().node >= system.nodes())
      throw std::invalid_argument(
          fmt::format("argosy::lab::virtual_gpfs: rank {} is on node {}, but there are {} nodes",
                      s->me().number, s->me().node, system.nodes()));
    return s->me().node;
  }
  int node = 0;
  while (node + 1 < system.nodes() && system.is_dead(node)) ++node;
  return node;
}

}  // namespace argosy::lab::detail
