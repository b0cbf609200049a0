// How fast layouts are packed, unpacked, copied and searched, beside hand-written loops, memcpy and MPI_Pack.
// Run: build/release/bin/bench_layout [--benchmark_filter=REGEX] [--benchmark_format=json]
// Working sets: 256 KiB of data, where the name does not say otherwise; hot in the second- or third-level cache.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include "cases.hpp"
#include "table.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  contest::enter_strided();
  contest::enter_arrays();
  contest::enter_records();
  contest::enter_irregular();
  contest::enter_copies();
  contest::enter_seeks();
  contest::collecting_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  contest::print_table(reporter.all());
  benchmark::Shutdown();
  MPI_Finalize();
}
