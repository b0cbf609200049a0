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
#include <mpi.h>

#include "cases.hpp"
#include "table.hpp"

// The tables go to `out`, so that they do not mix with JSON.
template <class Reporter>
void run(std::FILE* out) {
  bench::collecting<Reporter> reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  contest::print_copies(out, reporter.all());
  contest::print_seeks(out, reporter.all());
}

int main(int argc, char** argv) {
  // Chosen here, because the tables need the results that Google Benchmark's own reporter would
  // get.
  bool const json = std::any_of(argv, argv + argc,
                                [](std::string_view s) { return s == "--benchmark_format=json"; });
  MPI_Init(&argc, &argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  contest::enter_strided();
  contest::enter_arrays();
  contest::enter_records();
  contest::enter_irregular();
  contest::enter_copies();
  contest::enter_seeks();
  if (json)
    run<benchmark::JSONReporter>(stderr);
  else
    run<benchmark::ConsoleReporter>(stdout);
  benchmark::Shutdown();
  MPI_Finalize();
}
