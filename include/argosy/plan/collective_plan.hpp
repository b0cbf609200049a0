// A collective plan: the part of the file that each rank accesses in each round. It is equal on
// every rank. If ranks access the file separately, each rank has its own plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <argosy/extend.hpp>
#include <argosy/plan/detail/equal_windows.hpp>
#include <argosy/plan/domain_list.hpp>
#include <argosy/plan/plan.hpp>
#include <argosy/plan/reason_text.hpp>
#include <argosy/plan/window.hpp>

namespace argosy {

struct collective_plan;

namespace detail {

// The range of the file that an aggregator handles in one round. Empty in rounds that the
// aggregator does not need.
struct file_window {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  constexpr std::int64_t length() const noexcept { return end - begin; }
};

// Returns the numbers of windows of a plan. O(log) for most equal domains, otherwise O(domains).
constexpr window_counts windows_of(collective_plan const& p) noexcept;

}  // namespace detail

struct collective_plan {
  std::string policy = {};
  extend::reason_text reason = {};  // why together, or why separately
  access_kind kind = access_kind::read;
  bool together = false;             // false: no exchange; every rank carries out its own plan
  bool weighed = false;              // the policy compared the prices of both ways
  extend::domain_list domains = {};  // in the order of the file; one for each aggregator
  std::int64_t window_bytes = 0;     // size of a window; an aggregator has staging memory for two
  std::int64_t granule = 1;          // divides all offsets and lengths
  // Aggregators access only the requested bytes, never the gaps.
  bool sparse = false;
  // If true, ranks exchange the next window while a window is written or read; otherwise one after
  // the other.
  bool overlap = true;
  // If 1, a message belongs to a pair of ranks. If 2, to a pair of nodes; the ranks of a node
  // combine their data in shared memory.
  std::int64_t layers = 1;
  std::int64_t max_ranges = 0;  // per step of guided prefetching; 0: aggregators give no hints
  // Set by explain_all: the time of the call by the prices of the storage, in nanoseconds. If ranks
  // access the file separately, the time that `sieving` takes. 0 if no rank asks for data.
  double expected_ns = 0;
  // Used by explain_all: the plan of this rank for separate access. Differs by rank.
  std::optional<plan> alone = {};

  // Returns the number of rounds of the aggregator with most windows.
  constexpr std::int64_t rounds() const noexcept { return detail::windows_of(*this).most; }
  // Returns the window of a round. Windows start at multiples of their size, counted in the file or
  // in the stripe, so that they are aligned to blocks and pages.
  constexpr detail::file_window window_of(extend::file_domain const& d,
                                          std::int64_t round) const noexcept {
    if (round >= rounds_of(d)) return {d.end, d.end};
    if (d.striped()) return striped_window_of(d, round);
    std::int64_t const begin = std::max(d.begin, (d.begin / window_bytes + round) * window_bytes);
    std::int64_t const room = window_bytes - begin % window_bytes;
    return {begin, room > d.end - begin ? d.end : begin + room};
  }
  // Returns the number of windows of a domain.
  constexpr std::int64_t rounds_of(extend::file_domain const& d) const noexcept {
    if (!d.striped()) return detail::windows_between(d.begin, d.end, window_bytes);
    return d.begin == d.end ? 0 : round_at(d, d.end - 1) + 1;
  }
  // Returns the round of the window that contains `offset`, or of the first window behind it.
  // Precondition: `offset` does not lie before the domain.
  constexpr std::int64_t round_at(extend::file_domain const& d,
                                  std::int64_t offset) const noexcept {
    if (!d.striped()) return offset / window_bytes - d.begin / window_bytes;
    // Windows of the first stripe before the start of the domain.
    std::int64_t const before = d.begin % d.stripe_bytes / window_bytes;
    std::int64_t const stripes = offset / d.stripe_bytes - d.begin / d.stripe_bytes;
    std::int64_t const own = stripes / d.dealt_to * windows_in_stripe(d);
    return own - before +
           (stripes % d.dealt_to == 0 ? offset % d.stripe_bytes / window_bytes
                                      : windows_in_stripe(d));
  }
  friend constexpr bool operator==(collective_plan const&, collective_plan const&) = default;

 private:
  constexpr std::int64_t windows_in_stripe(extend::file_domain const& d) const noexcept {
    return (d.stripe_bytes - 1) / window_bytes + 1;
  }
  constexpr detail::file_window striped_window_of(extend::file_domain const& d,
                                                  std::int64_t round) const noexcept {
    std::int64_t const each = windows_in_stripe(d),
                       k = round + d.begin % d.stripe_bytes / window_bytes;
    std::int64_t const stripe = (d.begin / d.stripe_bytes + k / each * d.dealt_to) * d.stripe_bytes;
    std::int64_t const from = k % each * window_bytes, begin = std::max(d.begin, stripe + from);
    std::int64_t const room =
        std::min(window_bytes, d.stripe_bytes - from) - (begin - stripe - from);
    return {begin, room > d.end - begin ? d.end : begin + room};
  }
};

namespace detail {

constexpr window_counts windows_of(collective_plan const& p) noexcept {
  if (equal_domains const* const equal = p.domains.equal())
    if (auto const n = windows_of(*equal, p.window_bytes)) return *n;
  window_counts n;
  for (file_domain const& d : p.domains) n.add(p.rounds_of(d));
  return n;
}

}  // namespace detail

// Returns the plan as text for people. Local.
std::string to_string(collective_plan const& p);

}  // namespace argosy

#include <argosy/plan/detail/print_collective.hpp>
