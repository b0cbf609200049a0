// A collective plan: which rank touches which part of the file in which round; the same value on every rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <argosy/plan/window.hpp>

namespace argosy {

// The part of the file that one aggregator reads and writes.
struct file_domain {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int rank = 0;  // the aggregator
  friend constexpr bool operator==(file_domain const&, file_domain const&) = default;
};

// A stretch of the file that an aggregator treats in one round; empty in rounds that it does not need.
struct file_window {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  constexpr std::int64_t length() const noexcept { return end - begin; }
};

struct collective_plan {
  std::string policy = {};
  std::string reason = {};  // why together, or why each rank by itself
  access_kind kind = access_kind::read;
  bool together = false;                  // false: no exchange; every rank carries out its own plan
  std::vector<file_domain> domains = {};  // in the order of the file; one for each aggregator
  std::int64_t window_bytes = 0;          // an aggregator has staging memory for two
  std::int64_t granule = 1;               // divides all offsets and lengths

  std::int64_t rounds() const noexcept {
    std::int64_t most = 0;
    for (file_domain const& d : domains) most = std::max(most, rounds_of(d));
    return most;
  }
  // Windows start at multiples of their size, so that they meet blocks and pages.
  file_window window_of(file_domain const& d, std::int64_t round) const noexcept {
    if (round >= rounds_of(d)) return {d.end, d.end};
    std::int64_t const begin = std::max(d.begin, (d.begin / window_bytes + round) * window_bytes);
    std::int64_t const room = window_bytes - begin % window_bytes;
    return {begin, room > d.end - begin ? d.end : begin + room};
  }
  std::int64_t rounds_of(file_domain const& d) const noexcept {
    return d.begin == d.end ? 0 : (d.end - 1) / window_bytes - d.begin / window_bytes + 1;
  }
  friend bool operator==(collective_plan const&, collective_plan const&) = default;
};

std::string to_string(collective_plan const& p);

}  // namespace argosy

#include <argosy/detail/plan/print.hpp>
