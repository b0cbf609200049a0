// Runs rows on their machines. Rows with the same program share one run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine_file.hpp"
#include "rows.hpp"
#include "workload.hpp"

namespace papers {

struct result {
  row const* what = nullptr;
  // MB/s, over the seeds; `simulated` is the statistic of the row
  double simulated = 0, simulated_sd = 0;
  // All other results of its program, mean of the seeds.
  std::map<std::string, double> others = {};
  std::uint64_t parameters_hash = 0;
  double beside = 0;  // rate of another software on the same machine; 0 if not run
  // Seconds that its program ran, if that is shorter than published; otherwise 0.
  double short_of = 0;
  // Returns the error relative to the published rate, with its sign. Not for rows of claims.
  double error() const { return simulated / what->published - 1; }
};

class laboratory {
 public:
  // Machines are read from this directory when a row needs them. `seconds`: T of beffio.
  laboratory(std::string directory, std::int64_t scale, int repetitions,
             double seconds = full_seconds)
      : directory_(std::move(directory)),
        scale_(scale),
        repetitions_(repetitions),
        seconds_(seconds) {}

  paper_machine& machine(std::string const& name);
  // Measures a row on the current machine. A program that has run on this machine is not run again.
  result measure(row const& r);
  // Returns the rate of the same program with other software. 0 for programs of one task, which
  // call the file system directly in any software.
  double measure_as(row r, std::string const& software);
  std::int64_t scale() const { return scale_; }
  std::int64_t events() const { return events_; }

 private:
  std::string directory_;
  std::int64_t scale_;
  int repetitions_;
  double seconds_;
  std::map<std::string, paper_machine> machines_;
  std::map<std::string, std::vector<rates>> done_;  // by program and machine
  std::int64_t events_ = 0;
};

}  // namespace papers
