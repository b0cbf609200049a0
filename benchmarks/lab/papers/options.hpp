// What bench_papers is to do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "../../support/options.hpp"
#include "workload.hpp"

namespace papers {

struct options {
  std::string table, row, calibrate;  // empty: all, all, nothing; tables have commas between
  bool claims = false, check = false;
  std::int64_t scale = 1;
  double seconds = full_seconds;  // T of beffio
  int repetitions = 1;
  std::string csv, plots, summary;  // file, directory, file; empty: none
  std::string beside = "argosy";    // also as this software; empty: none
  std::string data;                 // directory of rows.csv, claims.csv and machines/
};

extern bench::program const usage;
// Throws usage_error.
options options_from(bench::arguments const& given);

}  // namespace papers
