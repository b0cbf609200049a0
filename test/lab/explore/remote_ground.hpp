// The ground on which processes explore: a directory that is removed in any case, and a watch for
// hangs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <argosy/world/mpi.hpp>

namespace argosy::explore {

// A new directory, made by rank 0 in `where`; if empty, in TMPDIR or /tmp. If rank 0 ends without
// removing the directory, a shell removes it. Collective.
class common_ground {
 public:
  common_ground(mpi world, std::string const& where);
  common_ground(common_ground const&) = delete;
  common_ground& operator=(common_ground const&) = delete;
  ~common_ground();
  std::string const& path() const noexcept { return path_; }

 private:
  mpi world_;
  std::string path_;
  int pipe_ = -1;  // on rank 0: the shell waits until this end is closed
  int shell_ = -1;
};

// Ends the process, and with it the job, if a program takes too long. Then, and in a crash, it
// prints the seed, the step and the call. One at a time.
class hang_watch {
 public:
  hang_watch(int rank, unsigned patience_seconds);
  hang_watch(hang_watch const&) = delete;
  hang_watch& operator=(hang_watch const&) = delete;
  ~hang_watch();

  // Notes the beginning of a program, and starts its time.
  void begin(std::uint64_t seed);
  void at(int step, char const* call);

 private:
  unsigned patience_seconds_;
};

}  // namespace argosy::explore
