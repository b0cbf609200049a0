// The options of the command line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../support/options.hpp"
#include "plan.hpp"

namespace beffio {

struct options {
  bool argosy = true, mpi = false;  // implementations
  release rules = release::r2;
  double seconds = 1800;
  std::vector<int> partitions;  // empty: by the rules
  std::string directory;        // parent of the directory of the run
  bool all_rewrites = false, geometric = false, shared_pointer = true, keep = false, quiet = false;
  unique_open unique = unique_open::never;
  std::int64_t memory_mib = 0;  // for each rank; 0: the memory of the node, divided by its ranks
  std::int64_t cache_mib = 0;   // sum over all nodes and servers; 0: the memory of the nodes
  std::int64_t space_mib = 0;   // for files; 0: most of the free space
  std::string hints, hint_set;  // file, and its name in the results
  std::string csv, json, plots;
  std::vector<std::string> compared;  // CSV files of earlier runs
  std::string from;                   // prints the results of this CSV file, without a run
  bool dry_run = false;
};

extern bench::program const usage;
// Parses the arguments. Throws usage_error.
options options_from(bench::arguments const& given);

}  // namespace beffio
