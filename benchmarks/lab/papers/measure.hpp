// Runs rows on their machines, each program once for the rows that share it.
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
  double simulated = 0, simulated_sd = 0;  // MB/s, over the seeds: what the row has of its runs
  // whatever else its program has measured, mean of the seeds
  std::map<std::string, double> others = {};
  std::uint64_t parameters_hash = 0;
  double beside = 0;  // of another software on the same machine; 0: not run
  // seconds that its program ran instead of as long as was published; 0: as long
  double short_of = 0;
  // Relative to what was published, with its sign. Not of rows for claims.
  double error() const { return simulated / what->published - 1; }
};

class laboratory {
 public:
  // Machines are read from this directory when a row needs them.
  // `seconds`: T of beffio.
  laboratory(std::string directory, std::int64_t scale, int repetitions,
             double seconds = full_seconds)
      : directory_(std::move(directory)),
        scale_(scale),
        repetitions_(repetitions),
        seconds_(seconds) {}

  paper_machine& machine(std::string const& name);
  // With the machine as it is now. A program that has run on this machine is not run again.
  result measure(row const& r);
  // The same program by other software, as a rate; 0 for those of one task, which call the file
  // system whatever there is.
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
