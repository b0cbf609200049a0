// A report over all ranks: the least, the mean, the most and the sum of each number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/agree/detail/call_summary.hpp>
#include <argosy/agree/detail/neighbour.hpp>
#include <argosy/extend.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy {

namespace extend {

// One number of every rank, summed up.
struct rank_statistics {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  std::int64_t sum = 0;
  std::int64_t ranks = 0;

  constexpr rank_statistics() = default;
  constexpr explicit rank_statistics(std::int64_t n) : least(n), most(n), sum(n), ranks(1) {}
  constexpr double mean() const noexcept {
    return ranks > 0 ? static_cast<double>(sum) / static_cast<double>(ranks) : 0;
  }
  constexpr void combine(rank_statistics const& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    sum += other.sum;
    ranks += other.ranks;
  }
  friend constexpr bool operator==(rank_statistics const&, rank_statistics const&) = default;
};

}  // namespace extend
static_assert(extend::reducible<extend::rank_statistics>);

struct summed_report {
  std::string policy = {};  // the policy of rank 0, cut to 63 characters
  std::string reason = {};  // the reason of rank 0, cut to 511 characters
  bool one_policy = true;   // true if all ranks used the same policy
  std::array<extend::rank_statistics, detail::report_numbers.size()> numbers = {};
  extend::rank_statistics exchange =
      {};  // exchange_ns(): the time that the other numbers do not explain

  //   s.of(&io::report::file_ns).most
  // Returns the ranks' values of one number. `which` must be a number of the report.
  extend::rank_statistics const& of(std::int64_t report::* which) const {
    std::size_t i = 0;
    while (detail::report_numbers[i].value != which) ++i;
    return numbers[i];
  }
  // Returns 10^6 bytes per second: the bytes of all requests by the time of the slowest rank. 0 if
  // no time was measured.
  double mb_per_s() const {
    std::int64_t const ns = of(&report::time_ns).most;
    return ns > 0 ? static_cast<double>(of(&report::bytes).sum) * 1e3 / static_cast<double>(ns) : 0;
  }
};

// Returns the report summed over all ranks, the same on every rank. Collective. On MPI, `world` is
// any communicator. Costs one reduction and one broadcast.
template <extend::agreeing World>
summed_report summed(report const& r, World const& world);

// Returns a table with a line for each number: least, mean, most, sum.
std::string to_table(summed_report const& s);

namespace detail {

using report_spreads = std::array<rank_statistics, report_numbers.size()>;

inline report_spreads spreads_of(report const& r) {
  report_spreads all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = rank_statistics(r.*report_numbers[i].value);
  return all;
}
inline void combine(report_spreads& mine, report_spreads const& other) {
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i].combine(other[i]);
}

}  // namespace detail

template <extend::agreeing World>
summed_report summed(report const& r, World const& world) {
  struct numbers_of_all {
    detail::report_spreads numbers;
    detail::extremes policy;
    extend::rank_statistics exchange;
    void combine(numbers_of_all const& other) {
      detail::combine(numbers, other.numbers);
      policy.combine(other.policy);
      exchange.combine(other.exchange);
    }
  } all{detail::spreads_of(r),
        {detail::fingerprint(r.policy), world.rank()},
        extend::rank_statistics(r.exchange_ns())};
  world.all_reduce(all);
  struct words {
    detail::short_text<64> policy;
    detail::short_text<512> reason;
  } told;
  if (world.rank() == 0) {
    told.policy.set_start(r.policy);
    told.reason.set_start(r.reason.str());
  }
  world.broadcast(std::as_writable_bytes(std::span(&told, 1)), 0);
  return {std::string(told.policy.get()), std::string(told.reason.get()),
          all.policy.low == all.policy.high, all.numbers, all.exchange};
}

}  // namespace argosy
