// A place where the processes of a test meet and exchange data, without any code that is under
// test.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

namespace argosy::explore {

// Memory shared by all processes of one machine. A waiting rank sleeps, because there are more
// ranks than processors, and polling MPI would take time from the ranks that work. Now and then it
// does call MPI, so that MPI's messages progress.
class meeting_place {
 public:
  // Collective. Maps a file of this directory, which is unlinked before the constructor returns.
  meeting_place(MPI_Comm world, std::string const& directory);
  meeting_place(meeting_place const&) = delete;
  meeting_place& operator=(meeting_place const&) = delete;
  ~meeting_place();

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  // Waits for the first `ranks` ranks. Calls must have the same order on all of them.
  void barrier(int ranks);
  // Returns the bytes of each of these ranks, by rank.
  std::vector<std::vector<std::byte>> gather(std::span<std::byte const> mine, int ranks);
  // Returns the first text that is not empty, by rank.
  std::string first(std::string const& mine, int ranks);

 private:
  struct counter;
  struct slot;
  counter& counter_of(int ranks) const;
  slot& slot_of(int rank, int turn) const;

  MPI_Comm world_;
  int rank_ = 0, size_ = 0;
  std::vector<int> turns_;  // index: number of ranks that gather
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace argosy::explore
