// Whole files, written by all ranks together and read again, at the levels of the literature on
// ROMIO. All implementations of one pattern run in turn, so that a disturbance affects all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "implementation.hpp"
#include "lists.hpp"
#include "trial.hpp"

namespace patterns {

// The result of one implementation and one operation. Seconds until the last rank is done; -1 for
// an unknown number.
struct measured {
  std::string pattern;
  int how = 0;
  std::string op, implementation;
  int ranks = 0;
  std::int64_t bytes = 0;  // sum over all ranks
  double median = 0, low = 0;
  double vs_mpi = -1, vs_limit = -1,
         vs_own = -1;            // speed relative to them: the median over the rounds
  std::int64_t file_calls = -1;  // system calls, of all ranks
  // On the rank with the largest, with its own data and shared memory.
  std::int64_t peak_rss_bytes = -1;
  std::string last = {};             // the implementation's own report on rank 0
  std::vector<double> seconds = {};  // one for each round
};

// Collective. In each round each implementation makes the file, writes it again and reads it. The
// data read is compared in every round, and the file in the first, which warms up and does not
// count. Comparisons are outside of the timing. Wrong data ends the program.
std::vector<measured> run_collective(MPI_Comm comm, collective_case const& c,
                                     std::vector<std::unique_ptr<implementation>> const& all,
                                     effort const& how);

}  // namespace patterns
