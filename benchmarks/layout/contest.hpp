// A contest: argosy and its raw twins on the same data, in turn, within one measurement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace contest {

using action = std::function<void()>;

// `bytes` of data per call. Whoever is missing does not take part. `check` is called once after each contestant, outside
// of the timing, and says whether what it left behind is right.
struct entry {
  std::string name;
  std::int64_t bytes = 0;
  action argosy, loop, mpi, copy, buffered;  // `buffered`: pack and unpack, where layouts are copied
  std::function<bool()> check = [] { return true; };
};

inline double seconds(action const& run, int calls) {
  auto const start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) {
    run();
    benchmark::ClobberMemory();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct spread {
  double low = 0, median = 0, high = 0;
};

inline spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

inline void verify(entry const& e, char const* who, action const& run) {
  run();
  if (e.check()) return;
  std::fprintf(stderr, "%s: %s moved wrong bytes\n", e.name.c_str(), who);
  std::exit(1);
}

// Every iteration times each contestant once, in turn, so that what disturbs one disturbs all; the ratios are those of
// one iteration, their medians are the counters.
inline void measure(benchmark::State& state, entry const& e) {
  std::vector<std::pair<char const*, action const*>> twins;
  for (auto [who, run] : {std::pair{"vs_loop", &e.loop}, {"vs_mpi_pack", &e.mpi}, {"vs_memcpy", &e.copy}, {"vs_pack_unpack", &e.buffered}})
    if (*run) twins.emplace_back(who, run);
  verify(e, "argosy", e.argosy);
  for (auto const& [who, run] : twins)
    if (run != &e.copy) verify(e, who, *run);

  // As many calls as fill about 200 microseconds: the clock's own cost vanishes.
  int calls = 1;
  while (calls < 1'000'000 && seconds(e.argosy, calls) < 2e-4) calls *= 2;
  std::vector<std::vector<double>> ratios(twins.size());
  for (auto _ : state) {
    double const mine = seconds(e.argosy, calls);
    for (std::size_t i = 0; i < twins.size(); ++i) ratios[i].push_back(seconds(*twins[i].second, calls) / mine);
    state.SetIterationTime(mine / calls);
  }
  state.SetBytesProcessed(state.iterations() * e.bytes);
  for (std::size_t i = 0; i < twins.size(); ++i) {
    spread const s = spread_of(ratios[i]);
    state.counters[twins[i].first] = s.median;
    state.counters[std::string(twins[i].first) + "_min"] = s.low;
    state.counters[std::string(twins[i].first) + "_max"] = s.high;
  }
}

inline void enter(entry e) {
  auto const shared = std::make_shared<entry>(std::move(e));
  benchmark::RegisterBenchmark(shared->name.c_str(), [shared](benchmark::State& state) { measure(state, *shared); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace contest
