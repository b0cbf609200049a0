// Cases of the families of patterns, on all ranks of a world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/detail/pattern_run.hpp>
#include <argosy/benchmark/family.hpp>
#include <argosy/benchmark/ranks_case.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/plan/window.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy::bench {

// Returns the name of a case: "dist3d/write".
inline std::string case_name(family const& f, access_kind kind) {
  return std::string(f.name) + (kind == access_kind::read ? "/read" : "/write");
}

// Runs a case of a family with the arguments of the state. Collective. The data are checked byte by
// byte after the timing. A wrong byte fails the case. All files have names that begin with `path`,
// and are removed.
template <communicator World>
void run_pattern(benchmark::State& state, World const& world, family const& f, access_kind kind,
                 std::string const& path, opener const& files = posix_opener()) {
  ranks_case all(state, world, case_name(f, kind));
  std::unique_ptr<pattern> what;
  std::unique_ptr<detail::pattern_run<World>> run;
  all.prepare([&] {
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < f.sizes.size(); ++i) sizes.push_back(state.range(i));
    what = make_pattern(f, world.size(), sizes);
    run = std::make_unique<detail::pattern_run<World>>(all.world(), *what, f.calls, kind);
  });
  all.prepare([&] { run->open(path, files); });
  all.run([&] { return run->call(); }, [&] { run->rewind(); });
  all.prepare([&] { run->check(); });
  all.prepare([&] { run->close(); });
  if (run) run->leave();
}

// Registers a case of a family on MPI, and returns it for its sizes:
//
//   io::bench::enter("dist3d", io::access_kind::write, "/scratch/dist3d")->Arg(64 << 20);
//   io::bench::enter("unstruc", io::access_kind::read, "/scratch/unstruc")->Args({64 << 20, 64});
//
// Throws std::invalid_argument if there is no such family.
inline auto* enter(std::string_view name, access_kind kind, std::string path,
                   MPI_Comm comm = MPI_COMM_WORLD) {
  family const& f = find_family(name);
  auto const body = [&f, kind, path = std::move(path), comm](benchmark::State& state) {
    run_pattern(state, mpi(comm), f, kind, path);
  };
  return benchmark::RegisterBenchmark(case_name(f, kind).c_str(), body)
      ->UseManualTime()
      ->ArgNames(f.sizes);
}

}  // namespace argosy::bench
