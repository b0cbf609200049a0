// The cost of a call: argosy's, the MPI library's and the plain system call, in turn, each some
// thousand times.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <mpi.h>

#include <argosy/benchmark/contest.hpp>

namespace calls {

struct setting {
  std::string directory;
  int rounds;
};

using argosy::bench::action;
using argosy::bench::spread;

struct entry {
  action raw, mpi, argosy;
};

// Times in ns per call, of the slowest rank, over the rounds.
struct outcome {
  spread raw, mpi, argosy;
  spread above;              // argosy's time minus that of the system call, in the same round
  spread ratio;              // the MPI library's time divided by argosy's, in the same round
  double allocations = 0;    // on the heap, in a call of argosy
  double instructions = -1;  // in user mode, in a call of argosy; -1 if unknown
};

// Runs a contest. Collective. Times `calls` calls in a row as one.
outcome run(MPI_Comm comm, entry const& e, std::int64_t calls, int rounds);

}  // namespace calls
