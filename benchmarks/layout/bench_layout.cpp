// The speed of packing, unpacking, copying and searching layouts, compared with hand-written loops,
// memcpy and MPI_Pack.
// Run: build/release/bin/bench_layout [--benchmark_filter=REGEX] [--benchmark_format=json]
// Working sets: 256 KiB of data unless the name says otherwise; hot in the second- or third-level
// cache.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <string_view>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/mpi_main.hpp>

#include "cases.hpp"
#include "table.hpp"

// The tables go to `out`, so that they do not mix with JSON.
template <class Reporter>
int run(argosy::bench::session& all, std::FILE* out) {
  bench::collecting<Reporter> reporter;
  int const status = all.run(&reporter);
  if (all.rank() != 0) return status;
  contest::print_copies(out, reporter.all());
  contest::print_seeks(out, reporter.all());
  return status;
}

int main(int argc, char** argv) {
  // Chosen here, because the tables need the results that Google Benchmark's own reporter would
  // get.
  bool const json = std::any_of(argv, argv + argc,
                                [](std::string_view s) { return s == "--benchmark_format=json"; });
  argosy::bench::session all(argc, argv);
  if (!all.runs()) return all.status();
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  contest::enter_strided();
  contest::enter_arrays();
  contest::enter_records();
  contest::enter_irregular();
  contest::enter_copies();
  contest::enter_seeks();
  return json ? run<benchmark::JSONReporter>(all, stderr)
              : run<benchmark::ConsoleReporter>(all, stdout);
}
