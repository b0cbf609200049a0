// The closing table: a line per case with its ratios, marked where it misses its aim.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace contest {

using results = std::vector<benchmark::BenchmarkReporter::Run>;

// Remembers what `Reporter` prints.
template <class Reporter>
class collecting : public Reporter {
 public:
  using Reporter::Reporter;
  void ReportRuns(results const& runs) override {
    for (auto const& r : runs)
      if (r.run_type == benchmark::BenchmarkReporter::Run::RT_Iteration && !r.error_occurred) all_.push_back(r);
    Reporter::ReportRuns(runs);
  }
  results const& all() const { return all_; }

 private:
  results all_;
};

// What a row should reach at least.
struct aims {
  double loop, mpi;
};

// By the length of its pieces, which its name carries: "stride/8B/...". What does not fit into the caches is bound by
// memory: no one is faster than the loop there.
inline aims aims_of(std::string const& name) {
  auto const slash = name.rfind('/', name.find("B/"));
  double const length = std::atof(name.c_str() + slash + 1);
  if (length >= 256) return {0.95, 0.95};
  if (name.find("MiB") != std::string::npos || length > 16) return {0.9, 0};
  return {0.9, length <= 8 ? 5 : 2.5};
}

inline double counter(benchmark::BenchmarkReporter::Run const& r, std::string const& key) {
  auto const found = r.counters.find(key);
  return found == r.counters.end() ? -1 : found->second.value;
}

inline void print_ratio(std::FILE* out, benchmark::BenchmarkReporter::Run const& r, std::string const& key, int width) {
  char text[64] = "-";
  if (counter(r, key) >= 0)
    std::snprintf(text, sizeof text, "%.2f (%.2f - %.2f)", counter(r, key), counter(r, key + "_low"),
                  counter(r, key + "_high"));
  std::fprintf(out, "  %*s", width, text);
}

inline void print_copies(std::FILE* out, results const& runs) {
  std::fprintf(
      out,
      "\nTime of the twin / time of argosy: median (spread of the middle four fifths of the rounds); above 1 argosy is "
      "faster\n\n%-40s %7s  %20s  %22s  %20s  %20s\n",
      "case", "GB/s", "hand-written loop", "MPI_Pack/Unpack", "memcpy", "pack + unpack");
  int cases = 0, missed = 0;
  for (auto const& r : runs) {
    double const loop = counter(r, "vs_loop"), mpi = counter(r, "vs_mpi_pack");
    if (loop < 0) continue;
    aims const aim = aims_of(r.run_name.function_name);
    bool const misses = loop < aim.loop || (mpi >= 0 && mpi < aim.mpi);
    ++cases;
    missed += misses;
    std::fprintf(out, "%-40s %7.2f", r.run_name.function_name.c_str(), counter(r, "bytes_per_second") / 1e9);
    print_ratio(out, r, "vs_loop", 20);
    print_ratio(out, r, "vs_mpi_pack", 22);
    print_ratio(out, r, "vs_memcpy", 20);
    print_ratio(out, r, "vs_pack_unpack", 20);
    std::fprintf(out, "%s\n", misses ? "  <- below the aim" : "");
  }
  std::fprintf(out,
               "\n%d cases, %d below the aim: 0.9 of the loop; 5 times MPI for pieces of up to 8 bytes, 2.5 times at "
               "16; 0.95 of "
               "both from 256 on\n",
               cases, missed);
}

inline void print_seeks(std::FILE* out, results const& runs) {
  std::fprintf(out, "\nSeek by position and by offset\n\n%-40s %7s\n", "case", "ns");
  for (auto const& r : runs)
    if (counter(r, "vs_loop") < 0)
      std::fprintf(out, "%-40s %7.1f\n", r.run_name.function_name.c_str(), r.GetAdjustedRealTime());
}

}  // namespace contest
