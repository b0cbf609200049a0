// The virtual cluster: thousands of ranks in one process and one thread, in virtual time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include <argosy/lab/cluster/contents.hpp>
#include <argosy/lab/cluster/rank.hpp>
#include <argosy/lab/cluster/report.hpp>
#include <argosy/lab/cluster/scenario.hpp>

namespace argosy::lab {

// How a run is carried out; its results do not depend on it, but for what is read from files.
struct virtual_options {
  std::size_t stack_bytes = std::size_t{128} << 10;  // per rank; only touched pages use memory
  bool timeline = false;                             // record spans
  // Of what collective calls of files move between ranks: with none it is neither sent nor copied,
  // so their buffers take no memory. Files have a choice of their own; the memory of a program
  // without contents is a hollow_memory.
  lab::contents contents = lab::contents::real;
  std::int64_t most_events = 0;  // a run with more is ended, as if in an endless loop; 0: no limit
};

//   virtual_cluster cluster({.ranks = 1000, .seed = 7});
//   virtual_report r = cluster.run([](virtual_rank const& world) { world.barrier(); });
// Each rank is a coroutine with a stack of its own (a guard page below it, for as many as the
// system has mappings), and the one whose clock is farthest behind runs next. A run is a function
// of the scenario and the program: no wall clock, no threads, no addresses. The seed orders what
// happens at the same time.
//
// Files are virtual_files, or files of the operating system. Calls to the latter take no virtual
// time and let no other rank run, so a lock that is released before the next operation never makes
// anybody wait.
//
// An exception that leaves the program on a rank ends the run, and run() throws it; but
// rank_failure ends only its rank, as if it had died there. If a run ends early, the stacks of all
// ranks are unwound.
class virtual_cluster {
 public:
  explicit virtual_cluster(lab::scenario s, virtual_options o = {})
      : scenario_(std::move(s)), options_(o) {}

  // May be called any number of times, but not from inside a run. Clocks start at 0 each time.
  virtual_report run(std::function<void(virtual_rank const&)> const& program) const;

  lab::scenario const& scenario() const noexcept { return scenario_; }

 private:
  lab::scenario scenario_;
  virtual_options options_;
};

}  // namespace argosy::lab
