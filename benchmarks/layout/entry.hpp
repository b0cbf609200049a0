// An entry: argosy and its competitors on the same data, in turn, within one measurement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/contest.hpp>

namespace contest {

using argosy::bench::action;

// `bytes` of data for each call. Missing contestants do not take part. `check` is called after one
// call of each contestant, outside of the timing. It returns true if the result is right, and
// clears it.
struct entry {
  std::int64_t bytes = 0;
  // `buffered`: pack and unpack, for copies between layouts
  action argosy, loop, mpi, copy, buffered;
  std::function<bool()> check;
};

// Runs the case. Ratios to argosy's time become counters. Wrong bytes end the program.
inline void measure(benchmark::State& state, std::string const& name, entry const& e) {
  constexpr double round_seconds = 2e-4;  // long enough that the clock's own cost is negligible
  argosy::bench::contest all;
  for (auto const& [counter, run] : {std::pair{"argosy", e.argosy},
                                     {"vs_loop", e.loop},
                                     {"vs_mpi_pack", e.mpi},
                                     {"vs_memcpy", e.copy},
                                     {"vs_pack_unpack", e.buffered}}) {
    if (!run) continue;
    all.enter(counter, run);
    run();
    // a copy of as many bytes, but not of the same bytes
    bool const dense_copy = std::string_view(counter) == "vs_memcpy";
    if (!e.check() && !dense_copy) {
      std::fprintf(stderr, "%s: wrong bytes were moved by %s\n", name.c_str(), counter);
      std::exit(1);
    }
  }
  all.choose_calls(round_seconds);
  all.run(state);
  state.SetBytesProcessed(state.iterations() * e.bytes);
}

// `make` prepares the data when the case is run, so that only one case needs memory at a time.
inline void enter(std::string const& name, std::function<entry()> make) {
  benchmark::RegisterBenchmark(
      name.c_str(), [name, make](benchmark::State& state) { measure(state, name, make()); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace contest
