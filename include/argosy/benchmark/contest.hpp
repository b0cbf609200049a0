// A contest: several ways to do the same work, in turn, in one process or on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/measure.hpp>
#include <argosy/benchmark/statistics.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::bench {

// One way to do the work. Empty if there is none.
using action = std::function<void()>;

// Returns the seconds of some calls in a row. It makes other calls before the timing, so that
// caches and predictors are in the state that such calls leave.
using stopwatch = std::function<double(action const& call, std::int64_t calls)>;

// A stopwatch of this process.
inline double seconds_alone(action const& call, std::int64_t calls) {
  call();
  auto const start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls; ++i) {
    call();
    benchmark::ClobberMemory();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Returns a stopwatch of all ranks, which returns the seconds of the slowest. Each use is
// collective. If a call throws on one rank, the stopwatch throws std::runtime_error on all.
template <communicator World>
stopwatch slowest_of(World const& world, int calls_before = 1) {
  return [world, calls_before](action const& call, std::int64_t calls) {
    auto const row = [&](std::int64_t n) {
      outcome const o = measure(world, [&] {
        for (std::int64_t i = 0; i < n; ++i) call();
      });
      if (o.failed()) throw std::runtime_error(o.error());
      return o.seconds;
    };
    row(calls_before);
    return row(calls);
  };
}

// Adds the median of a spread as a counter, and its ends as NAME_low and NAME_high.
inline void count(benchmark::State& state, std::string const& name, spread const& s) {
  state.counters[name] = s.median;
  state.counters[name + "_low"] = s.low;
  state.counters[name + "_high"] = s.high;
}

// Times all contestants in turn in each round, so that a disturbance affects all of them. Ratios
// are those within a round.
//
//   io::bench::contest c;
//   c.enter("argosy", [&] { io::pack(tile, memory, stream); });
//   c.enter("loop", [&] { pack_by_hand(); });
//   c.choose_calls(2e-4);
//   for (int i = 0; i < 21; ++i) c.round();
//   c.ratio("argosy", "loop").median   // above 1: argosy is faster
class contest {
 public:
  // On several ranks, give slowest_of(world).
  explicit contest(stopwatch watch = seconds_alone) : watch_(std::move(watch)) {}

  // Adds a contestant. An empty action does not take part. A round times `calls` calls of it.
  void enter(std::string name, action call, std::int64_t calls = 1) {
    if (call) all_.push_back({std::move(name), std::move(call), calls, {}});
  }
  // Doubles each contestant's calls of a round until they take that long.
  void choose_calls(double round_seconds) {
    for (contestant& c : all_)
      while (watch_(c.call, c.calls) < round_seconds) c.calls *= 2;
  }
  // Times each contestant once. Another one begins each round, so that none always follows the
  // same one.
  void round() {
    for (std::size_t k = 0; k < all_.size(); ++k) {
      contestant& c = all_[(k + rounds_) % all_.size()];
      c.seconds.push_back(watch_(c.call, c.calls) / static_cast<double>(c.calls));
    }
    ++rounds_;
  }

  // Returns the seconds of one call, a value for each round, or nothing if it does not take part.
  std::vector<double> const& seconds(std::string_view name) const {
    static std::vector<double> const none;
    contestant const* const c = find(name);
    return c != nullptr ? c->seconds : none;
  }
  // Returns the spread of how many times as fast `one` is as `other`.
  spread ratio(std::string_view one, std::string_view other) const {
    return spread_of(ratios_of(seconds(one), seconds(other)));
  }

  // Runs a case of Google Benchmark, which must be registered with UseManualTime(). Its time is
  // that of the first contestant. The ratios of each other contestant to the first become counters
  // with its name, NAME_low and NAME_high. If a call throws, the case fails.
  void run(benchmark::State& state) try {
    contestant& first = all_.at(0);
    while (state.KeepRunningBatch(first.calls)) {
      round();
      state.SetIterationTime(first.seconds.back() * static_cast<double>(first.calls));
    }
    for (std::size_t i = 1; i < all_.size(); ++i)
      count(state, all_[i].name, ratio(first.name, all_[i].name));
  } catch (std::exception const& e) {
    state.SkipWithError(e.what());
  }

 private:
  struct contestant {
    std::string name;
    action call;
    std::int64_t calls;           // in a round
    std::vector<double> seconds;  // seconds of one call, for each round
  };
  contestant const* find(std::string_view name) const {
    for (contestant const& c : all_)
      if (c.name == name) return &c;
    return nullptr;
  }

  stopwatch watch_;
  std::vector<contestant> all_;
  std::size_t rounds_ = 0;
};

}  // namespace argosy::bench
