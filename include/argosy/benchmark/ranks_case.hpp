// A case of Google Benchmark that all ranks of a world run together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/measure.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy::bench {

// Runs the iterations of a case on all ranks. The time of an iteration is that of the slowest rank.
// An error of one rank ends the case on all ranks, with the text of that error.
//
//   void tile(benchmark::State& state) {
//     io::bench::ranks_case all(state, MPI_COMM_WORLD, "tile");
//     all.run([&] { MPI_Bcast(data.data(), n, MPI_BYTE, 0, MPI_COMM_WORLD); });
//   }
//   BENCHMARK(tile)->UseManualTime();
//
// The case must be registered with UseManualTime(). Google Benchmark chooses the number of
// iterations by the time that it sees. Only manual time is equal on all ranks, so only with manual
// time do all ranks choose the same number. Ranks with different numbers end the job with an error
// that says so.
template <communicator World = mpi>
class ranks_case {
 public:
  // Collective. `name` identifies the case among those of the program.
  ranks_case(benchmark::State& state, World const& world, std::string_view name)
      : state_(state), world_(world.duplicate()), place_(14695981039346656037u) {
    for (char const c : name) mix(static_cast<unsigned char>(c));
    mix(static_cast<std::uint64_t>(state.max_iterations));
    prepare([] {});
    if (!failed_ && state.threads() != 1)
      stop("a case of several ranks has one thread on each: register it without Threads()");
  }

  // Calls `body` once, outside of the timing. Collective. Does nothing if the case has failed.
  template <class Body>
  void prepare(Body&& body) {
    if (!failed_) end(measure(world_, body, next_place()));
  }
  // Calls `body` in each iteration. Collective. `body` returns a report or nothing. `before` is
  // called before each iteration, outside of the timing. Sets the bytes that were processed, and
  // the counters file_calls, rounds and merged_bytes of an iteration if `body` returns reports.
  template <class Body, class Before>
  void run(Body&& body, Before&& before) {
    outcome sum;
    while (!failed_ && state_.KeepRunning()) {
      prepare(before);
      if (failed_) break;
      outcome const one = measure(world_, body, next_place());
      end(one);
      state_.SetIterationTime(one.seconds);
      sum.bytes += one.bytes;
      sum.file_calls += one.file_calls;
      sum.rounds += one.rounds;
      sum.merged_bytes += one.merged_bytes;
      sum.reports += one.reports;
    }
    if (!failed_ && sum.reports > 0) count(sum);
  }
  template <class Body>
  void run(Body&& body) {
    run(std::forward<Body>(body), [] {});
  }

  // Returns true if a rank has failed. It is the same on all ranks.
  bool failed() const noexcept { return failed_; }
  // Returns a duplicate of the world, with messages of its own.
  World const& world() const noexcept { return world_; }
  benchmark::State& state() const noexcept { return state_; }

 private:
  void mix(std::uint64_t x) { place_ = (place_ ^ x) * 1099511628211u; }
  std::uint64_t next_place() {
    mix(1);
    return place_;
  }
  void end(outcome const& o) {
    if (o.failed()) stop(o.error());
  }
  void stop(std::string const& why) {
    failed_ = true;
    state_.SkipWithError(why.c_str());
  }
  void count(outcome const& sum) {
    auto const n = static_cast<double>(state_.iterations());
    state_.SetBytesProcessed(sum.bytes);
    state_.counters["file_calls"] = static_cast<double>(sum.file_calls) / n;
    state_.counters["rounds"] = static_cast<double>(sum.rounds) / n;
    state_.counters["merged_bytes"] = static_cast<double>(sum.merged_bytes) / n;
  }

  benchmark::State& state_;
  World world_;
  std::uint64_t place_;
  bool failed_ = false;
};

template <extend::mpi_handle C>
ranks_case(benchmark::State&, C const&, std::string_view) -> ranks_case<mpi>;
template <communicator World>
ranks_case(benchmark::State&, World const&, std::string_view) -> ranks_case<World>;

}  // namespace argosy::bench
