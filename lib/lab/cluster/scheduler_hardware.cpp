// Implements the processors of ranks and the adapters of nodes for scheduler.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "scheduler.hpp"

namespace argosy::lab::detail {

picoseconds scheduler::scaled(picoseconds t) const {
  double const factor = current_->rank->factor;
  return factor == 1 ? t : std::llround(static_cast<double>(t) * factor);
}

// Returns the number of ranks that occupy a part of a processor at this time. Some may have ended
// before others have begun.
int scheduler::runnable(int node, std::size_t processor, int except, picoseconds at) const {
  auto const each = static_cast<std::size_t>(scenario_.ranks_per_node),
             step = static_cast<std::size_t>(scenario_.network.node_processors);
  int n = 0;
  for (std::size_t k = processor; k < each; k += step) {
    std::size_t const number = static_cast<std::size_t>(node) * each + k;
    if (number >= ranks_.size()) break;
    rank_state const& r = ranks_[number];
    task const& t = *r.program;
    bool const sleeps =
        t.blocked && t.why.kind == call_kind::file && !scenario_.network.polls_in_files;
    if (r.number != except && !r.dead && !sleeps && (!t.finished || t.time > at)) ++n;
  }
  return n;
}

picoseconds scheduler::worked(int number, picoseconds at, picoseconds takes) {
  if (processors_.empty() || takes == 0) return at + takes;
  int const node = rank(number).node;
  std::size_t const processor = static_cast<std::size_t>(number % scenario_.ranks_per_node) %
                                static_cast<std::size_t>(scenario_.network.node_processors);
  return processors_[static_cast<std::size_t>(node)].work(
      processor, runnable(node, processor, number, at), at, takes);
}

picoseconds scheduler::worked_beside(int node, picoseconds at, picoseconds takes) {
  if (processors_.empty() || static_cast<std::size_t>(node) >= processors_.size() || takes == 0)
    return at + takes;
  return processors_[static_cast<std::size_t>(node)].work_beside(
      [&](std::size_t processor) { return runnable(node, processor, -1, at); }, now_, at, takes);
}

picoseconds scheduler::leave_node(int node, picoseconds at, picoseconds takes) {
  if (adapters) return adapters(node, true, at, takes) - takes;
  picoseconds& free = adapter_out_[static_cast<std::size_t>(node)];
  picoseconds const begin = std::max(at, free);
  free = begin + takes;
  return begin;
}

picoseconds scheduler::enter_node(int node, picoseconds at, picoseconds takes) {
  if (adapters) return adapters(node, false, at, takes);
  picoseconds& free = adapter_in_[static_cast<std::size_t>(node)];
  return free = std::max(at, free) + takes;
}

}  // namespace argosy::lab::detail
