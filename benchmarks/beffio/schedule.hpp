// When patterns end: by time, by count, by space; and how long all of it takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rules.hpp"

namespace beffio {

inline constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

// What is given to all partitions alike.
struct schedule {
  release rules = release::r2;
  double seconds = 1800;  // T: of all partitions together (release 2), of each (release 1)
  int partitions = 1;
  bool all_rewrites = false;  // release 1 always has all
  bool geometric = false;     // calls between two looks at the clock double; otherwise there is one

  double unit_seconds() const {
    double const of_partition = rules == release::r1 ? seconds : seconds / partitions;
    return of_partition / units(rules, all_rewrites);
  }
  double seconds_of(pattern const& p) const { return unit_seconds() * p.units; }
  // Of all methods and partitions, as far as it is planned: counted rewrites and reads may be
  // slower or faster.
  double planned_seconds() const { return rules == release::r1 ? seconds * partitions : seconds; }
};

// How many calls come before the next look at the clock, when `done` took `elapsed` of `planned`
// seconds; 0: it is over. One call is always made.
std::int64_t calls_to_come(std::int64_t done, double elapsed, double planned, bool geometric);

// Calls of a pattern of type 0 to 2 that leave room for the others: this partition may use `budget`
// bytes.
std::int64_t most_calls(std::int64_t budget, int ranks, pattern const& p);
// That all patterns with a call each need, of one partition: less is not enough.
std::int64_t least_bytes(int ranks, std::int64_t longest);

// Of types 3 and 4: from the repetitions of types 0, 1 and 2, by pattern.
std::vector<std::int64_t> segmented_counts(std::int64_t longest,
                                           std::span<std::int64_t const> scattered,
                                           std::span<std::int64_t const> shared,
                                           std::span<std::int64_t const> separated);
// A rank's part of the file: whole MiB, so the last of its patterns is one call with what is
// missing; 0: nothing is.
struct segment {
  std::int64_t bytes = 0, filler = 0;
};
segment segment_of(std::span<pattern const> all, std::span<std::int64_t const> counts);

// --- Before the start ---
// A short trial: bytes per second into the system's cache, and through to the disk.
struct probe {
  double cached = 0, stored = 0;
};
struct estimate {
  double seconds = 0;      // all, for one implementation
  std::int64_t bytes = 0;  // that will be in files at a time
};
estimate estimated(schedule const& s, probe const& p);

}  // namespace beffio
