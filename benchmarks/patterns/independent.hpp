// Independent calls: all implementations of one pattern in turn, so that what disturbs one disturbs
// all. The file is in the page cache; writes go to a file that is there, and keep its holes.
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

// Of one implementation; seconds of one call on the slowest rank.
struct result {
  std::string implementation;
  double median = 0, low = 0, high = 0;
  std::vector<double> seconds;  // of each round
  std::string last;
};

struct row {
  std::string pattern;
  std::int64_t piece_bytes = 0;
  double density = 0;
  operation op = operation::read;
  int ranks = 0;
  std::int64_t bytes = 0;  // of all ranks
  std::vector<result> results;

  result const* find(std::string const& implementation) const;
  // Median over the rounds of the seconds of `other` by those of `one`: above 1, `one` is faster. 0
  // if one of them is missing.
  double ratio(std::string const& one, std::string const& other) const;
};

// Collective. The file is made anew; every byte of it, or of memory, is compared outside of the
// timing, before and after; what is wrong ends the program.
row run_independent(MPI_Comm comm, pattern const& p, operation op,
                    std::vector<std::unique_ptr<implementation>> const& all, effort const& how);

}  // namespace patterns
