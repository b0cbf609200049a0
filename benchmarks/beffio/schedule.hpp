// When patterns end: by time, by count, by space. And the time that all of it takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rules.hpp"

namespace beffio {

inline constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

// The settings that all partitions share.
struct schedule {
  release rules = release::r2;
  double seconds = 1800;  // T: for all partitions together (release 2), or for each (release 1)
  int partitions = 1;
  bool all_rewrites = false;  // release 1 always has all
  // if true, the number of calls between two looks at the clock doubles; otherwise it is one
  bool geometric = false;

  double unit_seconds() const {
    double const of_partition = rules == release::r1 ? seconds : seconds / partitions;
    return of_partition / units(rules, all_rewrites);
  }
  double seconds_of(pattern const& p) const { return unit_seconds() * p.units; }
  // Returns the planned time of all methods and partitions. Rewrites and reads are counted, so they
  // may be slower or faster.
  double planned_seconds() const { return rules == release::r1 ? seconds * partitions : seconds; }
};

// Returns the number of calls before the next look at the clock, if `done` calls took `elapsed` of
// `planned` seconds. 0 if the time is over. One call is always made.
std::int64_t calls_to_come(std::int64_t done, double elapsed, double planned, bool geometric);

// Returns the most calls of a pattern of type 0 to 2 that leave space for the others, if this
// partition may use `budget` bytes.
std::int64_t most_calls(std::int64_t budget, int ranks, pattern const& p);
// Returns the bytes that one partition needs at least: those of all patterns with a call each.
std::int64_t least_bytes(int ranks, std::int64_t longest);

// Returns the calls of types 3 and 4 by pattern, from the repetitions of types 0, 1 and 2.
std::vector<std::int64_t> segmented_counts(std::int64_t longest,
                                           std::span<std::int64_t const> scattered,
                                           std::span<std::int64_t const> shared,
                                           std::span<std::int64_t const> separated);
// A rank's part of the file, in whole MiB. The last of its patterns is one call with the missing
// bytes; 0 if none are missing.
struct segment {
  std::int64_t bytes = 0, filler = 0;
};
segment segment_of(std::span<pattern const> all, std::span<std::int64_t const> counts);

// --- Before the start ---
// The result of a short trial: bytes per second into the system's cache, and to the disk.
struct probe {
  double cached = 0, stored = 0;
};
struct estimate {
  double seconds = 0;      // total time, for one implementation
  std::int64_t bytes = 0;  // bytes of all files that exist at a time
};
estimate estimated(schedule const& s, probe const& p);

}  // namespace beffio
