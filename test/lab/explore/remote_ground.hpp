// The ground on which processes explore: a directory that is gone afterwards whatever happens, and
// an eye on what hangs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <argosy/world/mpi.hpp>

namespace argosy::explore {

// A new directory, made by rank 0 in `where`; empty: in TMPDIR, or /tmp. A shell removes it where
// its process ends without doing so. Collective.
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
  int pipe_ = -1;  // of rank 0: its end is what the shell waits for
  int shell_ = -1;
};

// Ends the process, and with it the job, if a program takes longer than this; says where it was,
// also in a crash. One at a time.
class hang_watch {
 public:
  hang_watch(int rank, unsigned patience_seconds);
  hang_watch(hang_watch const&) = delete;
  hang_watch& operator=(hang_watch const&) = delete;
  ~hang_watch();

  // A program begins, and its time.
  void begin(std::uint64_t seed);
  void at(int step, char const* call);

 private:
  unsigned patience_seconds_;
};

}  // namespace argosy::explore
