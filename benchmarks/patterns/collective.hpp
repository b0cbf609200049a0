// Whole files, written by all ranks together and read again, at the levels of the literature on
// ROMIO: all implementations of one pattern in turn, so that what disturbs one disturbs all.
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

// Of one implementation and one operation. Seconds until the last rank is done; -1 where a number
// is unknown.
struct measured {
  std::string pattern;
  int how = 0;
  std::string op, implementation;
  int ranks = 0;
  std::int64_t bytes = 0;  // of all ranks
  double median = 0, low = 0;
  double vs_mpi = -1, vs_limit = -1;  // how many times as fast: the median over the rounds
  std::int64_t file_calls = -1;       // that the system saw, of all ranks
  // of the rank with most, its own data and shared memory included
  std::int64_t peak_rss_bytes = -1;
  std::string last = {};             // what the implementation says it did on rank 0
  std::vector<double> seconds = {};  // round by round
};

// Collective. In each round each implementation makes the file, writes it again and reads it. What
// the ranks read is compared in every round, and the file in the first, which warms up and does not
// count; all outside of the timing. What is wrong ends the program.
std::vector<measured> run_collective(MPI_Comm comm, collective_case const& c,
                                     std::vector<std::unique_ptr<implementation>> const& all,
                                     effort const& how);

}  // namespace patterns
