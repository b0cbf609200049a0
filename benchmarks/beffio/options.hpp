// What a user asks for.
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
  std::vector<int> partitions;  // empty: as the rules say
  std::string directory;        // in which a directory is made
  bool all_rewrites = false, geometric = false, shared_pointer = true, keep = false, quiet = false;
  unique_open unique = unique_open::never;
  std::int64_t memory_mib = 0;  // of each rank; 0: of the node, shared by its ranks
  std::int64_t cache_mib = 0;   // of all nodes and servers; 0: the memory of the nodes
  std::int64_t space_mib = 0;   // for files; 0: most of what is free
  std::string hints, hint_set;  // file; its name in the results
  std::string csv, json, plots;
  std::vector<std::string> compared;  // CSV of earlier runs
  std::string from;                   // no run: results of this CSV
  bool dry_run = false;
};

extern bench::program const usage;
// Throws usage_error.
options options_from(bench::arguments const& given);

}  // namespace beffio
