// MPI, from the first command that needs it to the end of the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <exception>
#include <ostream>
#include <string>

namespace argosy::tool {

// Begins MPI unless it has begun. Ended by end_mpi(), which main() calls last.
inline void begin_mpi() {
  int begun = 0, level = 0;
  MPI_Initialized(&begun);
  if (begun == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
}

// Work that ranks do together. A rank that failed by itself ends all of them: the others may wait for it.
template <class F>
int together(std::ostream& err, F&& work) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    return work();
  } catch (std::exception const& e) {
    if (ranks == 1) throw;
    // In one piece: another rank that failed may end this one at any moment, but each has said why before it ends the others.
    err << "argosy: " + std::string(e.what()) + "\n" << std::flush;
    MPI_Abort(MPI_COMM_WORLD, 1);
    throw;
  }
}

inline void end_mpi() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun != 0 && ended == 0) MPI_Finalize();
}

}  // namespace argosy::tool
