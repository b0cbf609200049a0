// The numbers in the runs of Google Benchmark, for a table at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/contest.hpp>

namespace bench {

using argosy::bench::count;

using results = std::vector<benchmark::BenchmarkReporter::Run>;

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
