// Measurements: a cell for each pattern that was run, and the values computed from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules.hpp"

namespace beffio {

// Why a pattern ended.
enum class ending { once, time, count, space, errors };
constexpr std::string_view name_of(ending e) {
  constexpr std::string_view names[] = {"once", "time", "count", "space", "errors"};
  return names[static_cast<int>(e)];
}

// One pattern of one type and method, on one partition. Times are those of its rank 0, between
// barriers.
struct cell {
  int partition = 0;
  method how = method::write;
  int type = 0, number = 0;
  pattern what;
  std::int64_t calls = 0;  // made by each rank
  std::int64_t bytes = 0;  // moved by all ranks
  double scheduled = 0;    // in seconds; 0 if the pattern is not driven by time
  double seconds = 0;      // with the time of syncing
  double sync_seconds = 0;
  double open_seconds = 0, close_seconds = 0;  // times of its type; equal in all cells of the type
  std::int64_t errors = 0;                     // calls of all ranks that failed or moved too little
  std::int64_t wrong = 0;                      // marks that were read different from those written
  ending ended = ending::once;
  std::string hints = {};  // the given hints, with the values in force

  double rate() const { return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e6 : 0; }
  friend bool operator==(cell const&, cell const&) = default;
};

// A run of one implementation.
struct run_result {
  release rules = release::r2;
  bool all_rewrites = false;
  std::string implementation, machine, date, hint_set;  // hint_set: a name of the hints, or empty
  int ranks = 0;
  double seconds = 0;  // scheduled time
  std::int64_t memory_mib = 0;
  bool shared_pointer = true, unique = false;
  std::vector<cell> cells;

  // Returns the name of the run in tables and pictures.
  std::string label() const {
    return hint_set.empty() ? implementation : implementation + " (" + hint_set + ")";
  }
  std::vector<int> partitions() const;  // in the order of the run
  cell const* find(int partition, method m, int type, int number) const;
  std::int64_t longest() const { return longest_chunk(memory_mib); }

  // Return nothing if not all patterns were run. The value of a type is all bytes over the time
  // from opening to closing.
  std::optional<double> type_value(int partition, method m, int type) const;
  by_type type_values(int partition, method m) const;
  std::optional<double> method_value(int partition, method m) const;
  std::optional<double> value(int partition) const;
  std::optional<double> system_value() const;  // the largest of them, if all exist
  // Returns the fewest ranks that reach nine tenths of it.
  std::optional<int> saturated_at() const;

  std::int64_t bytes(int partition, method m) const;
  std::int64_t errors() const;
  std::int64_t wrong() const;
};

// Returns "1 rank", "4 ranks".
std::string ranks_text(int n);

// Returns the number of patterns of a type that are always run. That excludes the filler, which a
// segment may not need.
int always(int type);

// Why a value may not be compared with those of other systems, a line for each rule.
struct verdict {
  bool holds;
  std::string rule;
};
std::vector<verdict> validity(run_result const& r);
bool is_valid(run_result const& r);

// The bytes of a method should be more than this many times the caches; otherwise the caches are
// measured.
inline constexpr int times_cache = 20;
// Returns a warning; empty if all methods of all partitions moved enough. `cache`: bytes, of all
// nodes and servers.
std::string cache_warning(run_result const& r, std::int64_t cache);

}  // namespace beffio
