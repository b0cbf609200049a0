// The closing table: a line per call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace calls {

// Remembers the runs as Google Benchmark reports them, and prints them as one table.
class table : public benchmark::ConsoleReporter {
 public:
  table() : ConsoleReporter(OO_None) {}
  void ReportRuns(std::vector<Run> const& runs) override {
    for (Run const& r : runs)
      if (!r.error_occurred) all_.push_back(r);
    ConsoleReporter::ReportRuns(runs);
  }

  void print(std::FILE* out) const {
    std::fprintf(out,
                 "\nns per call of the slowest rank, medians; in brackets nine tenths of the rounds\n\n"
                 "%-34s %8s %8s %8s  %24s  %20s %6s %7s\n",
                 "call", "raw", "MPI", "argosy", "argosy - raw", "MPI / argosy", "heap", "instr.");
    for (Run const& r : all_) {
      auto const value = [&](char const* name) {
        auto const found = r.counters.find(name);
        return found == r.counters.end() ? -1.0 : found->second.value;
      };
      auto const text = [](bool known, char const* format, auto... values) {
        char buffer[64] = "-";
        if (known) std::snprintf(buffer, sizeof buffer, format, values...);
        return std::string(buffer);
      };
      bool const raw = value("raw") > 0, mpi = value("mpi") > 0;
      std::fprintf(out, "%-34s %8s %8s %8.0f  %24s  %20s %6.1f %7s\n", r.run_name.function_name.c_str(),
                   text(raw, "%.0f", value("raw")).c_str(), text(mpi, "%.0f", value("mpi")).c_str(), value("argosy"),
                   text(raw, "%.0f (%.0f - %.0f)", value("above"), value("above_low"), value("above_high")).c_str(),
                   text(mpi, "%.2f (%.2f - %.2f)", value("ratio"), value("ratio_low"), value("ratio_high")).c_str(),
                   value("heap"), text(value("instructions") >= 0, "%.0f", value("instructions")).c_str());
    }
  }

 private:
  std::vector<Run> all_;
};

}  // namespace calls
