// MPI, from the first command that needs it to the end of the program.
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

// Begins MPI unless it has begun. Ended by end_mpi(), which main() calls last.
inline void begin_mpi() {
  int begun = 0, level = 0;
  MPI_Initialized(&begun);
  if (begun == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
}

// For all_reduce.
struct largest {
  double value = 0;
  void combine(largest const& other) { value = std::max(value, other.value); }
};

// Whether all ranks come here. Waited for, but not for long: the others may be waiting for this
// one.
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

// Work that ranks do together. Where all failed, each has said why and the program ends as usual: a
// launcher may lose what was printed just before an abort. A rank that failed by itself ends the
// others, which may wait for it.
template <class F>
int together(std::ostream& err, F&& work) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1) return work();
  // Of its own, so that it meets nothing of the work.
  MPI_Comm failed_ranks = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &failed_ranks);
  int code = failed;
  try {
    code = work();
  } catch (std::exception const& e) {
    // In one piece: another rank that failed may end this one at any moment.
    err << "argosy: " + std::string(e.what()) + "\n" << std::flush;
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
