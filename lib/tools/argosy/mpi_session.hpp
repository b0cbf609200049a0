// Begins MPI at the first command that needs it, and ends it at the end of the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <ostream>
#include <string>
#include <thread>

#include "command.hpp"

namespace argosy::tool {

// Begins MPI unless it has begun. main() ends it by end_mpi(), its last call.
inline void begin_mpi() {
  int begun = 0, level = 0;
  MPI_Initialized(&begun);
  if (begun == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
}

// A maximum for all_reduce.
struct largest {
  double value = 0;
  void combine(largest const& other) { value = std::max(value, other.value); }
};

// Returns true if all ranks call this within two seconds. Other ranks may be waiting for this one,
// so it does not wait longer.
inline bool all_come(MPI_Comm ranks) {
  using clock = std::chrono::steady_clock;
  MPI_Request met = MPI_REQUEST_NULL;
  MPI_Ibarrier(ranks, &met);
  auto const end = clock::now() + std::chrono::seconds(2);
  for (int all = 0; clock::now() < end; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    MPI_Test(&met, &all, MPI_STATUS_IGNORE);
    if (all != 0) return true;
  }
  return false;
}

// Runs work that ranks do together. If all ranks failed, each has printed its error, and the
// program ends as usual, because a launcher may lose output printed just before an abort. If only
// some failed, they abort the job, because the other ranks may wait for them.
template <class F>
int together(std::ostream& err, F&& work) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1) return work();
  // A communicator of its own, so that its messages are separate from those of the work.
  MPI_Comm failed_ranks = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &failed_ranks);
  int code = failed;
  try {
    code = work();
  } catch (std::exception const& e) {
    // Written in one piece, because another rank that failed may abort this one at any time.
    err << "argosy: " + text_of(e) + "\n" << std::flush;
    if (!all_come(failed_ranks)) MPI_Abort(MPI_COMM_WORLD, failed);
  }
  MPI_Comm_free(&failed_ranks);
  return code;
}

inline void end_mpi() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun != 0 && ended == 0) MPI_Finalize();
}

}  // namespace argosy::tool
