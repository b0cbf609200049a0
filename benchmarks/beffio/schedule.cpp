// SPDX-License-Identifier: BSD-3-Clause
#include "schedule.hpp"

#include <algorithm>
#include <cmath>

namespace beffio {

std::int64_t calls_to_come(std::int64_t done, double elapsed, double planned, bool geometric) {
  if (done == 0) return 1;
  auto const n = static_cast<double>(done);
  // Another call would take as long as the mean of those before.
  if (elapsed * (n + 1) / n > planned) return 0;
  if (!geometric) return 1;
  if (elapsed <= 0) return done;
  double const fitting = std::floor(n * planned / elapsed) - n;
  return std::clamp<std::int64_t>(fitting < n ? static_cast<std::int64_t>(fitting) : done, 1, done);
}

namespace {

// Returns the bytes of patterns with one call, and of fillers, for all types and ranks.
std::int64_t single_bytes(int ranks) { return ranks * (types + 2) * mib; }

}  // namespace

std::int64_t most_calls(std::int64_t budget, int ranks, pattern const& p) {
  if (budget == any_number) return any_number;
  double const share =
      static_cast<double>(std::max<std::int64_t>(0, budget - single_bytes(ranks))) * p.units /
      write_units;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(share / static_cast<double>(ranks) /
                                                             static_cast<double>(p.memory)));
}

std::int64_t least_bytes(int ranks, std::int64_t longest) {
  std::int64_t bytes = 2 * mib;  // bytes of fillers
  for (int t = 0; t < types; ++t)
    for (pattern const& p : patterns_of(t, longest)) bytes += p.memory;
  return ranks * bytes;
}

std::vector<std::int64_t> segmented_counts(std::int64_t longest,
                                           std::span<std::int64_t const> scattered_counts,
                                           std::span<std::int64_t const> shared_counts,
                                           std::span<std::int64_t const> separated_counts) {
  std::vector<pattern> const of_scatter = patterns_of(scatter, longest);
  std::vector<std::int64_t> counts;
  for (std::size_t k = 0; k < patterns_of(segmented, longest).size(); ++k) {
    int const twin = scattered_twin(static_cast<int>(k));
    if (twin < 0) {
      counts.push_back(1);
      continue;
    }
    auto const t = static_cast<std::size_t>(twin);
    std::int64_t const chunks = scattered_counts[t] * (of_scatter[t].memory / of_scatter[t].chunk);
    counts.push_back(std::min({chunks, 10 * shared_counts[k], separated_counts[k]}));
  }
  return counts;
}

segment segment_of(std::span<pattern const> all, std::span<std::int64_t const> counts) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) sum += counts[k] * all[k].memory;
  std::int64_t const whole = (sum + mib - 1) / mib * mib;
  return {whole, whole - sum};
}

estimate estimated(schedule const& s, probe const& p) {
  double const unit = s.unit_seconds();
  // Segmented types write no more than the separated one, so each unit of time counts as if time
  // drove them, too.
  double const bytes = p.cached * unit * write_units;
  double const rewrites = s.rules == release::r1 || s.all_rewrites ? write_units : scatter_units;
  auto const lasting = [&](double units_of_time) {
    double const stored = p.stored > 0 ? bytes / write_units * units_of_time / p.stored : 0;
    return std::max(unit * units_of_time, stored);
  };
  double const of_partition = lasting(write_units) + lasting(rewrites) + unit * write_units;
  double const files = s.rules == release::r1 ? 1 : s.partitions;
  return {of_partition * s.partitions, static_cast<std::int64_t>(std::min(bytes * files, 9e18))};
}

}  // namespace beffio
