// The options: the machine, the numbers of ranks, and the amount of data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <argosy/lab/gpfs/machine.hpp>

#include "../../support/options.hpp"

namespace shapes {

// Returns the library's plausible machine, with as many servers as the larger of the published
// ones.
inline argosy::lab::gpfs::machine plausible_machine() {
  argosy::lab::gpfs::machine m;
  m.servers = 20;
  return m;
}

struct options {
  std::vector<int> ranks = {1, 2, 4, 8, 16, 32, 64, 128};
  int per_node = 1;
  std::int64_t percent = 100;  // percentage of each rank's data
  std::string experiment;      // empty: all
  argosy::lab::gpfs::machine machine = plausible_machine();
  std::string csv, plots;  // file and directory; empty: none
  bool check = false;

  // Returns that percentage of an amount, in whole units and at least one.
  std::int64_t share(std::int64_t units) const {
    return units * percent < 100 ? 1 : units * percent / 100;
  }
};

extern bench::program const usage;
// Parses the arguments. Throws usage_error.
options options_from(bench::arguments const& given);

}  // namespace shapes
