// Implements waiting for words of shared memory for scheduler.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <utility>

#include "group.hpp"
#include "scheduler.hpp"

namespace argosy::lab::detail {

// Addresses are only used to find the waiting ranks of a word. These continue in the order in which
// they came.
void scheduler::wait(group const& g, std::uint32_t const& word, std::uint32_t seen, place where) {
  if (!begin(call_kind::memory)) return;
  synchronize();
  auto const same = [&] {
    return std::atomic_ref(const_cast<std::uint32_t&>(word)).load(std::memory_order_acquire) ==
           seen;
  };
  if (!same()) return;
  if (g.dead_member >= 0 || g.revoked) g.throw_lost(call_kind::memory, where);
  task& t = now();
  struct watching {
    std::unordered_map<std::uint32_t const*, std::vector<task*>>& all;
    std::uint32_t const* word;
    task* who;
    ~watching() {  // unless wake() has removed it already
      auto const found = all.find(word);
      if (found == all.end()) return;
      std::erase(found->second, who);
      if (found->second.empty()) all.erase(found);
    }
  };
  picoseconds const began = t.time;
  t.left_alone = false;
  watchers_[&word].push_back(&t);
  {
    watching const until_the_end{watchers_, &word, &t};
    block({.kind = call_kind::memory, .group = g.id, .where = where});
  }
  record("memory", "wait", began);
  if (std::exchange(t.left_alone, false) && same()) g.throw_lost(call_kind::memory, where);
}

void scheduler::wake(std::uint32_t const& word) {
  if (!begin(call_kind::wake)) return;
  auto const found = watchers_.find(&word);
  if (found == watchers_.end()) return;
  std::vector<task*> const all = std::move(found->second);
  watchers_.erase(found);
  picoseconds const at = now().time + ps_of_ns(scenario_.network.node_latency_ns);
  for (task* const t : all) scheduler::wake(*t, at);
}

void scheduler::tell_watchers(group const& g, picoseconds at) {
  for (auto const& t : tasks_)
    if (t->blocked && t->why.kind == call_kind::memory && t->why.group == g.id) {
      t->left_alone = true;
      wake(*t, at);
    }
}

}  // namespace argosy::lab::detail
