// What one small call costs beside its system call and beside the MPI library's own file.
// Run: mpiexec -n 2 build/release/bin/bench_calls [--benchmark_filter=read_at/8/] [--dir DIR] [--rounds N]
// The file is in the page cache; ranks use blocks of their own. Times are of the slowest rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include "contest.hpp"
#include "rows.hpp"
#include "table.hpp"

namespace {

// Takes "--name VALUE" out of the command line.
std::string taken(int& argc, char** argv, char const* name, std::string otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) {
      otherwise = argv[i + 1];
      for (int k = i; k + 2 <= argc; ++k) argv[k] = argv[k + 2];
      argc -= 2;
      break;
    }
  return otherwise;
}

// The other ranks take part and say nothing.
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
  calls::setting how{taken(argc, argv, "--dir", "/dev/shm"), std::atoi(taken(argc, argv, "--rounds", "41").c_str())};
  benchmark::Initialize(&argc, argv);
  int wrong = benchmark::ReportUnrecognizedArguments(argc, argv) ? 1 : 0;
  if (wrong == 0) {
    calls::enter_all(how);
    silent nothing;
    calls::table table;
    benchmark::RunSpecifiedBenchmarks(rank == 0 ? static_cast<benchmark::BenchmarkReporter*>(&table) : &nothing);
    if (rank == 0) table.print(stdout);
    wrong = calls::wrong_bytes() ? 1 : 0;
  }
  MPI_Finalize();
  return wrong;
}
