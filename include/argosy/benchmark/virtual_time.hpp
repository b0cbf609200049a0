// Cases on virtual ranks: Google Benchmark gets the virtual time. Needs argosy::lab.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <utility>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/measure.hpp>
#include <argosy/lab/cluster/rank.hpp>
#include <argosy/lab/cluster/report.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

namespace argosy::bench {

// One virtual rank of a case.
class virtual_case {
 public:
  virtual_case(lab::virtual_rank const& world, outcome& all) : world_(world), all_(all) {}

  lab::virtual_rank const& world() const noexcept { return world_; }
  // Measures `body`, which returns a report or nothing, and returns its seconds. Collective. The
  // times of several calls are added. An error of one rank ends the case.
  template <class Body>
  double time(Body&& body) const {
    outcome const one = measure(world_, std::forward<Body>(body));
    if (world_.rank() != 0) return one.seconds;
    if (one.failed() && !all_.failed()) all_.fail(one.failed_rank, one.words.data());
    all_.seconds += one.seconds;
    all_.bytes += one.bytes;
    all_.file_calls += one.file_calls;
    all_.rounds += one.rounds;
    all_.merged_bytes += one.merged_bytes;
    return one.seconds;
  }

 private:
  lab::virtual_rank const& world_;
  outcome& all_;
};

// Runs `program` on all ranks of a cluster in each iteration. The time of an iteration is the
// virtual time of what the program measures by virtual_case::time.
//
//   void tile(benchmark::State& state) {
//     io::lab::virtual_files files;
//     io::lab::virtual_cluster const cluster({.ranks = static_cast<int>(state.range(0))});
//     io::bench::run_virtual(state, cluster, [&](io::bench::virtual_case const& on) {
//       auto f = io::lab::virtual_file::open(on.world(), "tile", how, {}, files.opener());
//       on.time([&] { return f.write_at_all(0, data); });
//       f.close();
//     });
//   }
//   BENCHMARK(tile)->UseManualTime()->Iterations(1)->Arg(16)->Arg(1024);
//
// A virtual run has the same times each time, so one iteration is enough. Sets the bytes that were
// processed, and the counters file_calls, rounds, merged_bytes and messages of an iteration.
inline void run_virtual(benchmark::State& state, lab::virtual_cluster const& cluster,
                        std::function<void(virtual_case const&)> const& program) {
  std::int64_t bytes = 0;
  while (state.KeepRunning()) {
    outcome all;
    lab::virtual_report done;
    try {
      done =
          cluster.run([&](lab::virtual_rank const& world) { program(virtual_case(world, all)); });
    } catch (std::exception const& e) {
      all.fail(0, e.what());
    }
    if (all.failed()) {
      state.SkipWithError(all.error().c_str());
      return;
    }
    state.SetIterationTime(all.seconds);
    bytes += all.bytes;
    state.counters["file_calls"] = static_cast<double>(all.file_calls);
    state.counters["rounds"] = static_cast<double>(all.rounds);
    state.counters["merged_bytes"] = static_cast<double>(all.merged_bytes);
    state.counters["messages"] = static_cast<double>(done.messages);
  }
  state.SetBytesProcessed(bytes);
}

}  // namespace argosy::bench
