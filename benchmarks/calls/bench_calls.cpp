// The cost of one small call, compared with its system call and with the MPI library's own file.
// Run: mpiexec -n 2 build/release/bin/bench_calls [--benchmark_filter=read_at/8/] [--dir DIR]
//      [--rounds N]
// The file is in the page cache. Ranks use blocks of their own. Times are those of the slowest
// rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <vector>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include "../support/google.hpp"
#include "../support/options.hpp"
#include "contest.hpp"
#include "rows.hpp"
#include "table.hpp"

namespace {

constexpr bench::option_info table[] = {
    {"--dir", "DIR", "where the file is made (default: /dev/shm)"},
    {"--rounds", "N", "of each call (default: 41)"},
};
constexpr bench::program usage{
    "bench_calls",
    "What one small call costs beside its system call and beside the MPI "
    "library's own file.",
    table};

// Reporter of the other ranks, which take part without printing.
class silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  benchmark::Initialize(&argc, argv);  // which removes its own options
  int status = 0;
  auto const read = [](bench::arguments const& given) {
    return calls::setting{given.value("--dir", "/dev/shm"), given.small_number("--rounds", 41, 1)};
  };
  if (auto const how = bench::options_of(usage, argc, argv, status, read, rank == 0)) {
    calls::enter_all(*how);
    silent nothing;
    bench::collecting<benchmark::ConsoleReporter> reporter(benchmark::ConsoleReporter::OO_None);
    benchmark::RunSpecifiedBenchmarks(
        rank == 0 ? static_cast<benchmark::BenchmarkReporter*>(&reporter) : &nothing);
    if (rank == 0) calls::print_table(stdout, reporter.all());
    status = calls::wrong_bytes() ? 1 : 0;
  }
  MPI_Finalize();
  return status;
}
