// The memory and the real time that a case takes of this process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <malloc.h>

#include <chrono>
#include <cstdint>

#include <benchmark/benchmark.h>

#include "../../patterns/process.hpp"

namespace scale {

// Begins at its construction.
class footprint {
 public:
  footprint() {
    malloc_trim(0);  // gives back memory of earlier cases
    patterns::forget_peak();
    before_ = patterns::peak_rss_bytes();
  }
  // Sets the counters memory, in bytes for each rank beyond those of files, and real_s.
  void count(benchmark::State& state, std::int64_t file_bytes) const {
    std::chrono::duration<double> const real = std::chrono::steady_clock::now() - began_;
    state.counters["memory"] =
        static_cast<double>((patterns::peak_rss_bytes() - before_ - file_bytes) / state.range(0));
    state.counters["real_s"] = real.count();
  }

 private:
  std::int64_t before_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace scale
