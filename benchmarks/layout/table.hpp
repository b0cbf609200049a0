// The closing table: a line per case with its ratios, marked where it misses its aim.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace contest {

// Prints what Google Benchmark prints, and remembers the counters.
class collecting_reporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(std::vector<Run> const& runs) override {
    for (Run const& r : runs)
      if (r.run_type == Run::RT_Iteration && !r.error_occurred) all_.push_back(r);
    ConsoleReporter::ReportRuns(runs);
  }
  std::vector<Run> const& all() const { return all_; }

 private:
  std::vector<Run> all_;
};

// What a row should reach, by the length of its pieces, which its name carries: "stride/8B/...".
struct aims {
  double loop = 0.9, mpi = 0;
};

inline aims aims_of(std::string const& name) {
  auto const unit = name.find("B/");
  auto const slash = unit == std::string::npos ? unit : name.rfind('/', unit);
  if (slash == std::string::npos || name.find("seek") == 0) return {0, 0};
  double const length = std::atof(name.c_str() + slash + 1);
  if (name.find("copy") == 0) return {0.9, 0};
  return {length >= 256 ? 0.95 : 0.9, length <= 8 ? 5 : length <= 16 ? 2.5 : length >= 256 ? 0.95 : 0};
}

inline void print_table(std::vector<benchmark::BenchmarkReporter::Run> const& runs) {
  std::printf("\nRatios: time of the twin / time of argosy, median (min - max) of the iterations; above 1 argosy is faster\n\n");
  std::printf("%-36s %9s  %22s  %24s  %22s  %22s\n", "case", "GB/s", "hand-written loop", "MPI_(Un)Pack", "memcpy",
              "pack + unpack");
  int missed = 0;
  for (auto const& r : runs) {
    auto const value = [&](std::string const& key) {
      auto const found = r.counters.find(key);
      return found == r.counters.end() ? -1.0 : found->second.value;
    };
    auto const cell = [&](std::string const& key, int width) {
      char text[64] = "-";
      if (value(key) >= 0)
        std::snprintf(text, sizeof text, "%.2f (%.2f - %.2f)", value(key), value(key + "_min"), value(key + "_max"));
      std::printf("  %*s", width, text);
    };
    aims const aim = aims_of(r.benchmark_name());
    bool const misses = (value("vs_loop") >= 0 && value("vs_loop") < aim.loop) ||
                        (value("vs_mpi_pack") >= 0 && value("vs_mpi_pack") < aim.mpi);
    missed += misses;
    std::printf("%-36s %9.2f", r.run_name.function_name.c_str(), value("bytes_per_second") / 1e9);
    cell("vs_loop", 22);
    cell("vs_mpi_pack", 24);
    cell("vs_memcpy", 22);
    cell("vs_pack_unpack", 22);
    std::printf("%s\n", misses ? "  <- below the aim" : "");
  }
  std::printf("\n%zu cases, %d below the aim (0.9 of the loop, 0.95 from 256 bytes on; MPI: 5 times up to 8 bytes, 2.5 at 16)\n",
              runs.size(), missed);
}

}  // namespace contest
