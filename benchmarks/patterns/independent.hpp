// Local calls: all implementations of one pattern in turn, so that a disturbance affects all of
// them. The file is in the page cache. Writes go to an existing file, and do not change its gaps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "implementation.hpp"
#include "pattern.hpp"
#include "trial.hpp"

namespace patterns {

// The result of one implementation, in seconds of one call on the slowest rank.
struct result {
  std::string implementation;
  double median = 0, low = 0, high = 0;
  std::vector<double> seconds;  // one for each round
  std::string last;
};

struct row {
  std::string pattern;
  std::int64_t piece_bytes = 0;
  double density = 0;
  operation op = operation::read;
  int ranks = 0;
  std::int64_t bytes = 0;  // sum over all ranks
  std::vector<result> results;

  result const* find(std::string const& implementation) const;
  // Returns the median over the rounds of the seconds of `other` divided by those of `one`: above
  // 1, `one` is faster. Returns 0 if one of them is missing.
  double ratio(std::string const& one, std::string const& other) const;
};

// Runs a row. Collective. Makes the file anew. Compares every byte of it, or of memory, before and
// after, outside of the timing. Wrong data ends the program.
row run_independent(MPI_Comm comm, pattern const& p, operation op,
                    std::vector<std::unique_ptr<implementation>> const& all, effort const& how);

}  // namespace patterns
