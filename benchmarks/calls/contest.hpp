// A contest of calls: argosy's, the MPI library's and the plain system call, in turn, each some
// thousand times.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <mpi.h>

#include "../support/statistics.hpp"

namespace calls {

struct setting {
  std::string directory;
  int rounds;
};

// One way to make the call; empty if there is none.
using action = std::function<void()>;

struct entry {
  action raw, mpi, argosy;
};

// Times in ns per call, of the slowest rank, over the rounds.
using bench::rank_statistics;
struct outcome {
  rank_statistics raw, mpi, argosy;
  rank_statistics above;     // argosy's time minus that of the system call, in the same round
  rank_statistics ratio;     // the MPI library's time divided by argosy's, in the same round
  double allocations = 0;    // on the heap, in a call of argosy
  double instructions = -1;  // in user mode, in a call of argosy; -1 if unknown
};

// Runs a contest. Collective. Times `calls` calls in a row as one.
outcome run(MPI_Comm comm, entry const& e, std::int64_t calls, int rounds);

}  // namespace calls
