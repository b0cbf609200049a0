// The cases of bench_scale: collective calls on virtual ranks, from few to many.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <argosy/lab/cluster/contents.hpp>

#include "../../support/google.hpp"
#include "footprint.hpp"
#include "lattice.hpp"

namespace scale {

struct setting {
  int from = 16, to = 4096;  // ranks
  int per_node = 0;          // ranks; 0: as the view has it
  int calls = 2, layers = 0, servers = 64;
  std::int64_t bytes = 64 << 10;                   // for each rank
  std::int64_t aggregators = 0, window_bytes = 0;  // 0: the policy's own
  argosy::lab::contents contents = argosy::lab::contents::real;
  lattice::numbers local{4, 4, 4, 8};  // sites of each rank
  std::string plots;                   // the directory of a picture; empty: none

  bool is_real() const noexcept { return contents == argosy::lab::contents::real; }
};

// The sum and the greatest of what the ranks report.
struct sum_and_most {
  std::int64_t sum = 0, most = 0;
  void add(std::int64_t x) {
    most = x > most ? x : most;
    sum += x;
  }
};
// Sets the counters NAME, the mean of a rank, and NAME_most, both of one call.
inline void count_of_ranks(benchmark::State& state, std::string const& name, sum_and_most const& x,
                           int calls = 1) {
  double const all = calls;
  state.counters[name] = static_cast<double>(x.sum) / all / static_cast<double>(state.range(0));
  state.counters[name + "_most"] = static_cast<double>(x.most) / all;
}

// Registers a case for each number of ranks, which is its argument.
template <class Run>
void enter(setting const& s, std::string const& name, Run const& run) {
  auto* const all = benchmark::RegisterBenchmark(name.c_str(), run);
  all->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
  for (std::int64_t n = s.from; n <= s.to; n *= 4) all->Arg(n);
}

// tile, cyclic, random: a collective write.
void enter_parts(setting const& s);
// lattice4d: the three ways of lattice.hpp to write and read.
void enter_lattice(setting const& s);

// The tables of the runs, and their picture as SVG.
std::string table_of_parts(bench::results const& runs);
std::string table_of_lattice(setting const& s, bench::results const& runs);
std::string picture_of(bench::results const& runs);

}  // namespace scale
