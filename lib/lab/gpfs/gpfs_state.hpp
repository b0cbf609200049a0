// The state of a simulated GPFS in the virtual cluster: a loopback system, whose clock is connected
// with the scheduler's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include "lab/cluster/file_action.hpp"
#include "lab/cluster/scheduler.hpp"

namespace argosy::lab::detail {

// The system has a clock of its own, which continues from run to run. In a run its events are in
// the scheduler's queue.
struct gpfs_state : std::enable_shared_from_this<gpfs_state> {
  gpfs_state(gpfs::machine const& m, int nodes, gpfs::troubles const& t, contents kept);

  // Carries out a call: copies its data in, waits, and copies what it has read back.
  gpfs::detail::completion carry(file_action& act, int node, gpfs::detail::call c,
                                 std::string const& words);
  // Closes without waiting, for destructors.
  void close_later(int node, int instance);
  // Handles events that are left from earlier runs.
  void settle();
  // Returns the client node of the calling rank.
  int node_here() const;

  gpfs::loopback system;
  // true for files whose writes now wait for the disk; empty: none
  std::function<bool(std::string const&)> synchronous;

 private:
  // A call that is under way. It has its own memory, because the waiting task may be unwound, and
  // the caller's memory is lost then.
  struct pending {
    task* who = nullptr;  // null outside of runs, or if no task waits any more
    bool is_open = false, abandoned = false;
    std::vector<std::byte> memory;
    gpfs::detail::completion result;
    bool done = false;
  };

  std::map<gpfs::loopback::ticket, std::shared_ptr<pending>> calls_;
  std::uint64_t run_ = 0;  // the run in which `began_` was set
  gpfs::detail::instant began_{};
  // Events in the scheduler's queue, and this object as long as there is one.
  std::int64_t queued_ = 0;
  std::shared_ptr<gpfs_state> alive_;

  gpfs::detail::instant instant_of(picoseconds t) const {
    return began_ + gpfs::detail::instant(t / 1000);
  }
  picoseconds time_of(gpfs::detail::instant at) const { return ps_of_ns((at - began_).count()); }

  // Connects the system with a run, if it is the first call in this run.
  void enter(scheduler& s);
  // Counts work of a task on the processor of its rank, and work of the daemon on those of its
  // node.
  void count_processors(bool counted);
  void completed(gpfs::loopback::ticket const& t, gpfs::detail::completion const& c);
  // Ends all calls of a node that is gone. Background work of a program that has ended may still
  // wait for one.
  void refuse_all_of(int node, gpfs::detail::instant at);
};

}  // namespace argosy::lab::detail
