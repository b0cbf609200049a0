// A contest: argosy and its competitors on the same data, in turn, within one measurement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "../support/google.hpp"

namespace contest {

using action = std::function<void()>;

// `bytes` of data for each call. Missing contestants do not take part. `check` is called after one
// call of each contestant, outside of the timing. It returns true if the result is right, and
// clears it.
struct entry {
  std::int64_t bytes = 0;
  // `buffered`: pack and unpack, for copies between layouts
  action argosy, loop, mpi, copy, buffered;
  std::function<bool()> check;
};

// One way to do the work. `counter` names the ratio of its time to argosy's.
struct contestant {
  char const* counter;
  action run;
  std::int64_t calls = 1;                // number that takes the time of one round
  std::vector<double> seconds_per_call;  // one for each round
};

// Makes one call before the timing, so that the caches hold what this contestant left there.
inline double seconds(action const& run, std::int64_t calls) {
  run();
  auto const start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls; ++i) {
    run();
    benchmark::ClobberMemory();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Times all contestants in turn in each round, so that a disturbance affects all of them. Ratios
// are computed within a round; the counters are their medians.
inline void measure(benchmark::State& state, std::string const& name, entry const& e) {
  constexpr double round_seconds = 2e-4;  // long enough that the clock's own cost is negligible
  std::vector<contestant> all;
  for (auto const& [counter, run] : {std::pair{"argosy", e.argosy},
                                     {"vs_loop", e.loop},
                                     {"vs_mpi_pack", e.mpi},
                                     {"vs_memcpy", e.copy},
                                     {"vs_pack_unpack", e.buffered}})
    if (run) all.push_back({counter, run, 1, {}});
  for (contestant& c : all) {
    c.run();
    // a copy of as many bytes, but not of the same bytes
    bool const dense_copy = std::string_view(c.counter) == "vs_memcpy";
    if (!e.check() && !dense_copy) {
      std::fprintf(stderr, "%s: wrong bytes were moved by %s\n", name.c_str(), c.counter);
      std::exit(1);
    }
    while (seconds(c.run, c.calls) < round_seconds) c.calls *= 2;
  }

  while (state.KeepRunningBatch(all[0].calls)) {
    for (contestant& c : all)
      c.seconds_per_call.push_back(seconds(c.run, c.calls) / static_cast<double>(c.calls));
    state.SetIterationTime(all[0].seconds_per_call.back() * static_cast<double>(all[0].calls));
  }
  state.SetBytesProcessed(state.iterations() * e.bytes);
  for (std::size_t i = 1; i < all.size(); ++i) {
    std::vector<double> ratios = all[i].seconds_per_call;
    for (std::size_t k = 0; k < ratios.size(); ++k) ratios[k] /= all[0].seconds_per_call[k];
    bench::count(state, all[i].counter, bench::spread_of(std::move(ratios)));
  }
}

// `make` prepares the data when the case is run, so that only one case needs memory at a time.
inline void enter(std::string const& name, std::function<entry()> make) {
  benchmark::RegisterBenchmark(
      name.c_str(), [name, make](benchmark::State& state) { measure(state, name, make()); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace contest
