// Measures a call of all ranks: the time of the slowest, sums of reports, and the first error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include <argosy/benchmark/detail/wait_for_ranks.hpp>
#include <argosy/extend.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::bench {

// The result of a measurement on all ranks. It is equal on all ranks, to the last bit.
struct outcome {
  double seconds = 0;             // time of the slowest rank
  std::int64_t bytes = 0;         // sum of all requests, as the reports say
  std::int64_t file_calls = 0;    // reads and writes of the file, of all ranks
  std::int64_t rounds = 0;        // number of the rank with the most
  std::int64_t merged_bytes = 0;  // bytes of gaps in merged windows, of all ranks
  int reports = 0;                // number of ranks whose body returned a report
  int failed_rank = std::numeric_limits<int>::max();  // the lowest rank that failed
  std::array<char, 240> words = {};                   // its error
  // The least and the greatest of the ranks' places in their programs. They differ if ranks run
  // different cases, or different numbers of iterations.
  std::uint64_t low_place = 0, high_place = 0;

  bool failed() const noexcept { return failed_rank != std::numeric_limits<int>::max(); }
  // Returns "rank 2: no space left on device", or an empty text if no rank failed.
  std::string error() const {
    return failed() ? "rank " + std::to_string(failed_rank) + ": " + words.data() : std::string();
  }
  // Notes an error of this rank. A long text is cut.
  void fail(int rank, std::string_view text) {
    failed_rank = rank;
    words = {};
    text.copy(words.data(), words.size() - 1);
  }
  void add(report const& r) {
    bytes += r.bytes;
    file_calls += r.read_calls + r.write_calls;
    rounds += r.rounds;
    merged_bytes += r.merged_bytes;
    reports = 1;
  }
  // Adds the outcome of another rank.
  void combine(outcome const& other) {
    seconds = std::max(seconds, other.seconds);
    bytes += other.bytes;
    file_calls += other.file_calls;
    rounds = std::max(rounds, other.rounds);
    merged_bytes += other.merged_bytes;
    reports += other.reports;
    if (other.failed_rank < failed_rank) {
      failed_rank = other.failed_rank;
      words = other.words;
    }
    low_place = std::min(low_place, other.low_place);
    high_place = std::max(high_place, other.high_place);
  }
};
static_assert(extend::reducible<outcome>);

namespace detail {

// Returns the seconds of the world's own clock if it has one, as virtual ranks do. Otherwise
// returns those of the system.
template <class World>
double clock_of(World const& world) {
  if constexpr (requires {
                  { world.now() } -> std::convertible_to<double>;
                })
    return world.now();
  else
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace detail

// Calls `body` on all ranks at once, and returns what came of it. Collective. `body` returns a
// report, or nothing. An exception of one rank is the error of the outcome on all ranks.
//
//   io::bench::outcome const o = measure(world, [&] { return f.write_all(u); });
//
// A rank that fails before a collective call of the others leaves them waiting there. On MPI such a
// rank waits two minutes for the others. Then it prints its error and ends the job.
// `place` identifies the case and the iteration. Ranks with different places end the job, too.
// Costs two barriers and a reduction, outside of the timing.
template <communicator World, class Body>
outcome measure(World const& world, Body&& body, std::uint64_t place = 0) {
  using result = std::invoke_result_t<Body&>;
  static_assert(std::is_void_v<result> || std::convertible_to<result, report const&>,
                "argosy: the body of a measurement returns an io::report, or nothing");
  outcome all;
  all.low_place = all.high_place = place;
  world.barrier();
  double const start = detail::clock_of(world);
  try {
    if constexpr (std::is_void_v<result>)
      body();
    else
      all.add(body());
  } catch (std::exception const& e) {
    all.fail(world.rank(), e.what());
  } catch (...) {
    all.fail(world.rank(), "an exception that is not a std::exception");
  }
  all.seconds = detail::clock_of(world) - start;
  detail::wait_for_ranks(world, all.failed() ? all.words.data() : nullptr);
  world.all_reduce(all);
  if (all.low_place != all.high_place) detail::end_of_different_ranks(world);
  return all;
}

}  // namespace argosy::bench
