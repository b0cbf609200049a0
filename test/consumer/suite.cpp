// A suite of its own, as a user writes it: each header of argosy::benchmark, and each way to fail.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/argosy.hpp>
#include <argosy/benchmark/contest.hpp>
#include <argosy/benchmark/fixture.hpp>
#include <argosy/benchmark/mpi_main.hpp>
#include <argosy/benchmark/patterns.hpp>
#include <argosy/benchmark/virtual_time.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/world/self.hpp>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace io = argosy;

// Names of Google Benchmark are found inside of namespace argosy, and after a using-directive.
namespace argosy {
inline benchmark::State* state_of_a_user = nullptr;
}
namespace of_a_user {
using namespace argosy;
inline benchmark::State* state_of_a_user = nullptr;
}  // namespace of_a_user

namespace {

// Each run has a working directory of its own.
std::string scratch(std::string const& name) { return "argosy_suite." + name; }
int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void tile(benchmark::State& state) {
  io::bench::fixture on(state, MPI_COMM_WORLD, scratch("tile"));
  std::vector<double> const data(static_cast<std::size_t>(state.range(0)), 1.5);
  on.prepare([&] {
    on.file().set_view(8 * on.world().rank(),
                       io::resized(io::type<double>, 0, 8 * on.world().size()));
  });
  on.run([&] { return on.file().write_at_all(0, data); });
}

void one_rank(benchmark::State& state) {
  io::bench::fixture<io::self> on(state, io::self(),
                                  scratch("self" + std::to_string(rank_in_world())));
  std::vector<double> const data(100, 1.5);
  int before = 0;
  on.run([&] { return on.file().write_at(0, data); }, [&] { ++before; });
  if (before != state.iterations()) state.SkipWithError("the function before was not called");
}

void without_a_file(benchmark::State& state) {
  io::bench::ranks_case all(state, MPI_COMM_WORLD, "without_a_file");
  int x = 0;
  all.run([&] { MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD); });
}

void twins(benchmark::State& state) {
  io::bench::contest c(io::bench::slowest_of(io::mpi(MPI_COMM_WORLD)));
  std::vector<char> from(10000, 'a'), to(10000);
  c.enter("one", [&] { std::copy(from.begin(), from.end(), to.begin()); });
  c.enter("four", [&] {
    for (int i = 0; i < 4; ++i) {
      std::copy(from.begin(), from.end(), to.begin());
      benchmark::ClobberMemory();
    }
  });
  c.enter("nobody", {});
  c.choose_calls(1e-4);
  c.run(state);
  if (state.counters.count("four_low") != 1 || state.counters.count("nobody") != 0)
    state.SkipWithError("the counters of a contest are wrong");
}

void in_virtual_time(benchmark::State& state) {
  io::lab::virtual_files files;
  io::lab::virtual_cluster const cluster({.ranks = static_cast<int>(state.range(0))});
  io::bench::run_virtual(state, cluster, [&](io::bench::virtual_case const& on) {
    std::vector<double> const data(100, 1.5);
    auto f = io::lab::virtual_file::open(on.world(), "tile", io::mode::create | io::mode::write, {},
                                         files.opener());
    f.set_view(8 * on.world().rank(), io::resized(io::type<double>, 0, 8 * on.world().size()));
    on.time([&] { return f.write_at_all(0, data); });
    f.close();
  });
}

void third_iteration(benchmark::State& state) {
  io::bench::ranks_case all(state, MPI_COMM_WORLD, "third_iteration");
  int iteration = 0;
  all.run([&] {
    if (++iteration == 3 && rank_in_world() == 1) throw std::runtime_error("on purpose");
  });
}

void no_directory(benchmark::State& state) {
  io::bench::fixture on(state, MPI_COMM_WORLD, "/no/such/directory/file");
  std::vector<double> const data(1);
  on.run([&] { return on.file().write_at(0, data); });
}

void before_a_collective_call(benchmark::State& state) {
  io::bench::detail::patience_s = 1;
  io::bench::ranks_case all(state, MPI_COMM_WORLD, "before_a_collective_call");
  all.run([&] {
    if (rank_in_world() == 1) throw std::runtime_error("on purpose");
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

void different(benchmark::State& state) {
  io::bench::ranks_case all(state, MPI_COMM_WORLD, rank_in_world() == 0 ? "one" : "other");
  all.run([] {});
}

// Small sizes of all families, written and read.
bool enter_families() {
  for (io::bench::family const& f : io::bench::families())
    for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read}) {
      std::vector<std::int64_t> sizes = f.usual;
      for (std::int64_t& s : sizes) s = s >= 65536 ? 65536 : s >= 32768 ? 4096 : s;
      std::string const path =
          scratch(io::bench::case_name(f, kind).replace(f.name.size(), 1, "."));
      io::bench::enter(f.name, kind, path)
          ->Name("good/" + io::bench::case_name(f, kind))
          ->Args(sizes);
    }
  return true;
}

bool const entered = [] {
  auto const enter = [](char const* name, void (*body)(benchmark::State&)) {
    return benchmark::RegisterBenchmark(name, body)->UseManualTime();
  };
  enter("good/tile", tile)->Arg(1)->Arg(1000);
  enter("good/one_rank", one_rank);
  enter("good/without_a_file", without_a_file);
  enter("good/twins", twins);
  enter("good/in_virtual_time", in_virtual_time)->Iterations(1)->Arg(4)->Arg(16);
  enter("bad/third_iteration", third_iteration)->Iterations(5);
  enter("bad/z_after", without_a_file);
  enter("stuck/no_directory", no_directory);
  enter("stuck/before_a_collective_call", before_a_collective_call);
  enter("stuck/different", different);
  return enter_families();
}();

}  // namespace

ARGOSY_BENCHMARK_MAIN();
