// The virtual cluster: thousands of ranks in one process and one thread, in virtual time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include <argosy/lab/cluster/rank.hpp>
#include <argosy/lab/cluster/report.hpp>
#include <argosy/lab/cluster/scenario.hpp>

namespace argosy::lab {

// How a run is carried out; its results do not depend on it.
struct virtual_options {
  std::size_t stack_bytes = std::size_t{128} << 10;  // of each rank; memory is used as far as it is touched
  bool timeline = false;                             // record spans
  std::int64_t most_events = 0;  // a run with more is ended: it goes round in circles; 0: any number
};

//   virtual_cluster cluster({.ranks = 1000, .seed = 7});
//   virtual_report r = cluster.run([](virtual_rank const& world) { world.barrier(); });
// Each rank is a coroutine with a stack of its own (a guard page below it, for as many as the system has mappings), and
// the one whose clock is behind goes on. A run is a function of the scenario and the program: no wall clock, no threads,
// no addresses. The seed orders what happens at the same time.
//
// Files are virtual_files, or those of the operating system: their calls take no virtual time and let no other rank go on,
// so that a lock which is given back before the next operation is never waited for.
//
// An exception that leaves the program on a rank ends the run, and is thrown by run(); but rank_failure is the end of its
// rank only, as if it had died there. Where a run ends early, the stacks of all ranks are unwound.
class virtual_cluster {
 public:
  explicit virtual_cluster(lab::scenario s, virtual_options o = {}) : scenario_(std::move(s)), options_(o) {}

  // Any number of times, each with clocks that start at 0. Not from inside a run.
  virtual_report run(std::function<void(virtual_rank const&)> const& program) const;

  lab::scenario const& scenario() const noexcept { return scenario_; }

 private:
  lab::scenario scenario_;
  virtual_options options_;
};

}  // namespace argosy::lab
