// A suite of Google Benchmark for my own I/O: how fast all ranks write their blocks of an array,
// and how fast the programs of the literature write the same amount.
// Run: mpiexec -n 4 build/release/bin/own_benchmark [--benchmark_filter=REGEX]
// SPDX-License-Identifier: BSD-3-Clause
// [benchmark_suite]
#include <argosy/argosy.hpp>
#include <argosy/benchmark/fixture.hpp>
#include <argosy/benchmark/mpi_main.hpp>
#include <argosy/benchmark/patterns.hpp>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace io = argosy;

// Writes an array of n x n doubles, of which each rank has a block.
void blocks(benchmark::State& state) {
  io::bench::fixture on(state, MPI_COMM_WORLD, "own_benchmark.blocks");
  std::int64_t const n = state.range(0);
  io::darray<double, 2> const mine({n, n}, io::distribute::block,
                                   io::process_grid(on.world().size(), 2), on.world().rank());
  std::vector<double> const u(static_cast<std::size_t>(mine.copies()), 1.5);
  on.prepare([&] { on.file().set_view(0, mine); });
  on.run([&] { return on.file().write_at_all(0, u); });
}
BENCHMARK(blocks)->UseManualTime()->MinTime(0.05)->Arg(64)->Arg(512);
// [benchmark_suite]

// [benchmark_families]
int main(int argc, char** argv) {
  io::bench::enter("dist3d", io::access_kind::write, "own_benchmark.dist3d")
      ->MinTime(0.05)
      ->Arg(2 << 20);
  io::bench::enter("unstruc", io::access_kind::read, "own_benchmark.unstruc")
      ->MinTime(0.05)
      ->Args({2 << 20, 64});
  return io::bench::mpi_main(argc, argv);
}
// [benchmark_families]
