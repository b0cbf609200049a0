// Where the processes of a test meet and talk, without a part of what they test.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

namespace argosy::explore {

// Memory of all processes of one machine. Who waits sleeps: ranks are more than processors, and one
// that calls MPI while it waits takes the time of those that work. Now and then it does call MPI,
// so that its messages go on.
class meeting_place {
 public:
  // Collective. A file of this directory, which has no name any more afterwards.
  meeting_place(MPI_Comm world, std::string const& directory);
  meeting_place(meeting_place const&) = delete;
  meeting_place& operator=(meeting_place const&) = delete;
  ~meeting_place();

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  // Of the first so many ranks, in the same order on all of them.
  void barrier(int ranks);
  // What each of them brings, by rank.
  std::vector<std::vector<std::byte>> gather(std::span<std::byte const> mine, int ranks);
  // The first that is not empty.
  std::string first(std::string const& mine, int ranks);

 private:
  struct counter;
  struct slot;
  counter& counter_of(int ranks) const;
  slot& slot_of(int rank, int turn) const;

  MPI_Comm world_;
  int rank_ = 0, size_ = 0;
  std::vector<int> turns_;  // by how many ranks gather
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace argosy::explore
