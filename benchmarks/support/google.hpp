// Contests under Google Benchmark: spreads as counters, and the runs for a table at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include <benchmark/benchmark.h>

#include "statistics.hpp"

namespace bench {

using results = std::vector<benchmark::BenchmarkReporter::Run>;

// Prints as `Reporter` does, and stores the runs.
template <class Reporter>
class collecting : public Reporter {
 public:
  using Reporter::Reporter;
  void ReportRuns(results const& runs) override {
    for (auto const& r : runs)
      if (r.run_type == benchmark::BenchmarkReporter::Run::RT_Iteration && !r.error_occurred)
        all_.push_back(r);
    Reporter::ReportRuns(runs);
  }
  results const& all() const { return all_; }

 private:
  results all_;
};

inline void count(benchmark::State& state, std::string const& name, rank_statistics const& s) {
  state.counters[name] = s.median;
  state.counters[name + "_low"] = s.low;
  state.counters[name + "_high"] = s.high;
}

// Returns -1 if there is none.
inline double counter(benchmark::BenchmarkReporter::Run const& r, std::string const& name) {
  auto const found = r.counters.find(name);
  return found == r.counters.end() ? -1 : found->second.value;
}
// Returns "1.20 (1.10 - 1.30)", or "-".
inline std::string spread_text(benchmark::BenchmarkReporter::Run const& r, std::string const& name,
                               int digits) {
  if (r.counters.find(name) == r.counters.end()) return "-";
  return fmt::format("{:.{}f} ({:.{}f} - {:.{}f})", counter(r, name), digits,
                     counter(r, name + "_low"), digits, counter(r, name + "_high"), digits);
}

}  // namespace bench
