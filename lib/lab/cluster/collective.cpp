// Implements the meeting of ranks in a collective call (group.hpp): calls that do not fit together,
// waiting, and the death of a member.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "group.hpp"
#include "scheduler.hpp"

namespace argosy::lab::detail {

std::uint64_t scheduler::add(group& g) {
  groups_.emplace(next_group_, &g);
  return next_group_++;
}

void scheduler::remove(group& g) { groups_.erase(g.id); }

group::group(scheduler& s, std::vector<int> m) : members(std::move(m)), scheduler_(s) {
  id = s.add(*this);
  next_.resize(members.size());
  node_of_.reserve(members.size());
  for (int r : members) node_of_.push_back(s.rank(r).node);
  auto sorted = node_of_;
  std::sort(sorted.begin(), sorted.end());
  nodes = static_cast<int>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  for (int i = 0; i < size(); ++i) {
    rank_state const& r = s.rank(members[static_cast<std::size_t>(i)]);
    if (r.dead && dead_member < 0) {
      dead_member = i;
      dead_since = r.death;
    }
  }
}

group::~group() {
  // A program may mistakenly hold a communicator after its run.
  if (scheduler* const s = scheduler::running(); s == &scheduler_) s->remove(*this);
}

void group::compare(meeting const& m, int me, arrival const& mine) {
  arrival const& first = m.first;
  auto const describe = [&](arrival const& a, int r) {
    std::string s = name_of(a.kind);
    if (a.kind == call_kind::all_reduce || a.kind == call_kind::all_gather ||
        a.kind == call_kind::broadcast)
      s += fmt::format(" of {} bytes", a.bytes);
    if (a.kind == call_kind::broadcast) s += fmt::format(" from rank {}", a.root);
    s += fmt::format(" on rank {}", r);
    if (std::string const at = text_of(a.where); !at.empty()) s += " at " + at;
    return s;
  };
  bool const lengths = first.kind != call_kind::share && first.bytes != mine.bytes;
  if (first.kind == mine.kind && !lengths && first.root == mine.root) return;
  char const* const what = first.kind != mine.kind ? "are in different collective calls"
                           : lengths               ? "call with different lengths"
                                                   : "call with different roots";
  scheduler_.fail(virtual_run_error::reason::mismatch,
                  fmt::format("ranks of communicator {} {}: {}, {}", id, what,
                              describe(first, m.first_rank), describe(mine, me)));
}

void group::throw_lost(call_kind k, place where) const {
  task& t = scheduler_.now();
  std::string const at = text_of(where);
  if (dead_member < 0)
    throw rank_failure(
        -1, fmt::format("communicator {} was revoked after a rank died; {}{} cannot be completed",
                        id, name_of(k), at.empty() ? "" : " at " + at));
  t.time =
      std::max(t.time, dead_since + ps_of_ns(scheduler_.scenario().network.detection_us * 1000));
  throw rank_failure(dead_member,
                     fmt::format("rank {} of communicator {} died; {}{} cannot be completed",
                                 dead_member, id, name_of(k), at.empty() ? "" : " at " + at));
}

bool group::meet(int me, arrival& mine) {
  scheduler& s = scheduler_;
  if (!s.begin(mine.kind)) return false;
  if (dead_member >= 0 || revoked) throw_lost(mine.kind, mine.where);
  task& t = s.now();
  std::uint64_t const number = next_[static_cast<std::size_t>(me)]++;
  while (number - first_open_ >= open_.size()) open_.push_back(std::make_unique<meeting>());
  meeting& m = *open_[static_cast<std::size_t>(number - first_open_)];
  mine.who = &t;
  mine.at = t.time;
  picoseconds const began = t.time;
  arrive(m, me, mine);
  if (!mine.done) wait(m, me, mine);
  if (mine.failed) {
    m.arrived[static_cast<std::size_t>(me)] = nullptr;
    throw_lost(mine.kind, mine.where);
  }
  t.time = std::max(t.time, mine.at);
  rank_state& r = s.me();
  r.last_kind = mine.kind;
  r.last_group = id;
  r.last_number = number + 1;
  if (mine.kind != call_kind::share || mine.bytes > 0)
    s.record("collective", name_of(mine.kind), began, static_cast<std::int64_t>(mine.bytes));
  leave(m, me);
  return true;
}

std::size_t group::from_root(int me, arrival const& mine) const {
  return static_cast<std::size_t>((me - mine.root + size()) % size());
}

void group::arrive(meeting& m, int me, arrival& mine) {
  bool const is_broadcast = mine.kind == call_kind::broadcast;
  if (m.count == 0) {
    m.first = mine;
    m.first_rank = me;
    m.arrived.resize(members.size());
    if (is_broadcast) {
      m.came.assign(members.size(), -1);
      m.reach.assign(members.size(), -1);
    }
  } else {
    compare(m, me, mine);
  }
  m.arrived[static_cast<std::size_t>(me)] = &mine;
  ++m.count;
  if (is_broadcast) {
    std::size_t const relative = from_root(me, mine);
    m.came[relative] = mine.at;
    if (relative == 0) {
      m.content.assign(mine.out, mine.out + mine.bytes);
      m.reach[0] = mine.at;
    }
    if (m.reach[relative] >= 0) broadcast_from(m, static_cast<int>(relative));
  } else if (m.count == size()) {
    finish(m);
  }
}

void group::wait(meeting& m, int me, arrival& mine) {
  try {
    scheduler_.block({.kind = mine.kind, .group = id, .where = mine.where});
  } catch (run_ended const&) {
    m.arrived[static_cast<std::size_t>(me)] = nullptr;
    if (!mine.done) {
      --m.count;
      if (mine.kind == call_kind::broadcast) m.came[from_root(me, mine)] = -1;
    }
    throw;
  }
}

void group::leave(meeting& m, int me) {
  m.arrived[static_cast<std::size_t>(me)] = nullptr;
  if (++m.left == size()) {
    ++scheduler_.report.collectives;
    // All ranks have also left all earlier calls, because each rank makes one call after the other.
    open_.erase(open_.begin());
    ++first_open_;
  }
}

void group::release(meeting&, arrival& a, picoseconds at) {
  a.done = true;
  a.at = at;
  scheduler_.wake(*a.who, at);
}

void group::member_died(int number) {
  auto const found = std::find(members.begin(), members.end(), number);
  if (found == members.end()) return;
  if (dead_member < 0) {
    dead_member = static_cast<int>(found - members.begin());
    dead_since = scheduler_.rank(number).death;
  }
  picoseconds const known =
      dead_since + ps_of_ns(scheduler_.scenario().network.detection_us * 1000);
  tell_meetings(known);
  scheduler_.tell_watchers(*this, known);
}

void group::tell_meetings(picoseconds at) {
  for (auto const& m : open_)
    for (arrival* const a : m->arrived)
      if (a && !a->done) {
        a->failed = a->done = true;
        scheduler_.wake(*a->who, at);
      }
}

}  // namespace argosy::lab::detail
