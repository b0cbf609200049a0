// The options of bench_papers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "../../support/options.hpp"
#include "workload.hpp"

namespace papers {

struct options {
  // tables are separated by commas; empty table or row: all; empty calibrate: nothing
  std::string table, row, calibrate;
  bool claims = false, check = false;
  std::int64_t scale = 1;
  double seconds = full_seconds;  // T of beffio
  int repetitions = 1;
  int rotate = 0;                   // with calibrate: places by which roles are shifted
  std::string csv, plots, summary;  // file, directory, file; empty: none
  std::string publish, against;     // folders of kept results; empty: none
  std::string beside = "argosy";    // second software for each row; empty: none
  std::string data;                 // directory of rows.csv, claims.csv and machines/
};

extern bench::program const usage;
// Parses the arguments. Throws usage_error.
options options_from(bench::arguments const& given);

}  // namespace papers
