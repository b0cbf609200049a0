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

// How a run is carried out. Times, events and the trace do not depend on these options, unless
// `most_events` ends the run. Without contents, bytes that programs read are undefined.
struct virtual_options {
  std::size_t stack_bytes = std::size_t{128} << 10;  // for each rank; only touched pages use memory
  bool timeline = false;                             // record the timeline
  // The contents of messages in collective calls of files. With `none` they are neither sent nor
  // copied, so their buffers take no memory. Files have an option of their own. Use hollow_memory
  // as the memory of a program without contents.
  lab::contents contents = lab::contents::real;
  // a run with more events is ended, as if in an endless loop; 0: no limit
  std::int64_t most_events = 0;
};

//   virtual_cluster cluster({.ranks = 1000, .seed = 7});
//   virtual_report r = cluster.run([](virtual_rank const& world) { world.barrier(); });
//
// Each rank is a coroutine with a stack of its own. A guard page lies below each stack, as long as
// the system has mappings for them. The rank whose clock is farthest behind runs next. A run is a
// function of the scenario and the program, and depends on no wall clock, threads or addresses. The
// seed orders simultaneous events.
//
// Files are virtual_files, or files of the operating system. Calls to the latter take no virtual
// time, and no other rank runs during them. A lock that is released before the next operation
// therefore never makes a rank wait.
//
// If an exception leaves the program on a rank, the run ends, and run() throws the exception. A
// rank_failure ends only its rank, as if the rank had died there. If a run ends early, the stacks
// of all ranks are unwound by an exception. If a program catches it, the next operation of that
// rank throws it again.
class virtual_cluster {
 public:
  explicit virtual_cluster(lab::scenario s, virtual_options o = {})
      : scenario_(std::move(s)), options_(o) {}

  // Runs the program on all ranks. May be called any number of times, but not from inside a run.
  // Clocks start at 0 in each run. Throws std::invalid_argument if a number of the scenario is out
  // of range, such as a rank that does not exist. Throws virtual_run_error if a run ends before its
  // programs do.
  virtual_report run(std::function<void(virtual_rank const&)> const& program) const;

  lab::scenario const& scenario() const noexcept { return scenario_; }

 private:
  lab::scenario scenario_;
  virtual_options options_;
};

}  // namespace argosy::lab
