// The snippets of docs/use/benchmarks.md. The program is a suite, and runs as a test.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/benchmark/contest.hpp>
#include <argosy/benchmark/mpi_main.hpp>
#include <argosy/benchmark/ranks_case.hpp>
#include <argosy/benchmark/virtual_time.hpp>
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace io = argosy;

// [benchmark_ranks]
void to_all(benchmark::State& state) {
  io::bench::ranks_case all(state, MPI_COMM_WORLD, "to_all");
  std::vector<char> data(static_cast<std::size_t>(state.range(0)));
  all.run(
      [&] { MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, 0, MPI_COMM_WORLD); });
}
BENCHMARK(to_all)->UseManualTime()->Arg(1 << 16);
// [benchmark_ranks]

// [benchmark_contest]
void twins(benchmark::State& state) {
  std::vector<double> const u(10'000, 1.5);
  auto f = io::file::open(MPI_COMM_WORLD, "twins.argosy",
                          io::mode::create | io::mode::write | io::mode::delete_on_close);
  MPI_File g = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, "twins.mpi",
                MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &g);
  io::bench::contest c(io::bench::slowest_of(io::mpi(MPI_COMM_WORLD)));
  c.enter("argosy", [&] { f.write_at_all(0, u); });
  c.enter("vs_mpi",
          [&] { MPI_File_write_at_all(g, 0, u.data(), 10'000, MPI_DOUBLE, MPI_STATUS_IGNORE); });
  c.choose_calls(1e-3);  // calls of a round take a millisecond
  c.run(state);          // the counters vs_mpi, vs_mpi_low and vs_mpi_high
  f.close();
  MPI_File_close(&g);
}
BENCHMARK(twins)->UseManualTime();
// [benchmark_contest]

// [benchmark_virtual]
void many_ranks(benchmark::State& state) {
  io::lab::virtual_files files;
  io::lab::virtual_cluster const cluster(
      {.ranks = static_cast<int>(state.range(0)), .ranks_per_node = 64});
  io::bench::run_virtual(state, cluster, [&](io::bench::virtual_case const& on) {
    std::vector<double> const u(1000, 1.5);
    auto f = io::lab::virtual_file::open(on.world(), "state", io::mode::create | io::mode::write,
                                         {}, files.opener());
    f.set_view(8 * on.world().rank(), io::resized(io::type<double>, 0, 8 * on.world().size()));
    on.time([&] { return f.write_at_all(0, u); });
    f.close();
  });
}
BENCHMARK(many_ranks)->UseManualTime()->Iterations(1)->Arg(64)->Arg(256);
// [benchmark_virtual]

// [benchmark_session]
int main(int argc, char** argv) {
  io::bench::session all(argc, argv);
  if (!all.runs()) return all.status();
  for (int i = 1; i < argc; ++i)  // Google Benchmark has removed its own options
    if (argv[i] != std::string_view("--mine")) {
      if (all.rank() == 0) std::fprintf(stderr, "there is no option %s\n", argv[i]);
      return 2;
    }
  return all.run();
}
// [benchmark_session]
