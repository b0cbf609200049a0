// What was measured: a cell for each pattern that was run, and the values that follow.
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

// One pattern of one type and method, on one partition. Times are of its rank 0, between barriers.
struct cell {
  int partition = 0;
  method how = method::write;
  int type = 0, number = 0;
  pattern what;
  std::int64_t calls = 0;  // of each rank
  std::int64_t bytes = 0;  // of all ranks, that were moved
  double scheduled = 0;    // seconds; 0: not driven by time
  double seconds = 0;      // with that of syncing
  double sync_seconds = 0;
  double open_seconds = 0, close_seconds = 0;  // of its type: the same in all of its cells
  std::int64_t errors = 0;                     // calls of any rank that failed or moved too little
  std::int64_t wrong = 0;                      // marks that were not read as they were written
  ending ended = ending::once;
  std::string hints = {};  // those that were asked for, with the values in force

  double rate() const { return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e6 : 0; }
  friend bool operator==(cell const&, cell const&) = default;
};

// A run of one implementation.
struct run_result {
  release rules = release::r2;
  bool all_rewrites = false;
  std::string implementation, machine, date, hint_set;  // hint_set: a name of the hints, or empty
  int ranks = 0;
  double seconds = 0;  // scheduled
  std::int64_t memory_mib = 0;
  bool shared_pointer = true, unique = false;
  std::vector<cell> cells;

  // What tells it from others in tables and pictures.
  std::string label() const {
    return hint_set.empty() ? implementation : implementation + " (" + hint_set + ")";
  }
  std::vector<int> partitions() const;  // in the order in which they came
  cell const* find(int partition, method m, int type, int number) const;
  std::int64_t longest() const { return longest_chunk(memory_mib); }

  // Nothing where not all patterns were run. Of a type: all bytes over the time from opening to
  // closing.
  std::optional<double> type_value(int partition, method m, int type) const;
  by_type type_values(int partition, method m) const;
  std::optional<double> method_value(int partition, method m) const;
  std::optional<double> value(int partition) const;
  std::optional<double> system_value() const;  // the largest of them, if all are there
  // The fewest ranks that reach nine tenths of it.
  std::optional<int> saturated_at() const;

  std::int64_t bytes(int partition, method m) const;
  std::int64_t errors() const;
  std::int64_t wrong() const;
};

// "1 rank", "4 ranks"
std::string ranks_text(int n);

// The number of patterns of a type that are always run: without the filler, which a segment may not
// need.
int always(int type);

// Why a value may not be compared with those of other systems: a line for each rule.
struct verdict {
  bool holds;
  std::string rule;
};
std::vector<verdict> validity(run_result const& r);
bool is_valid(run_result const& r);

// Bytes of a method should be more than this many times the caches, or these are measured.
inline constexpr int times_cache = 20;
// Empty: enough was moved by all methods of all partitions. `cache`: bytes, of all nodes and
// servers.
std::string cache_warning(run_result const& r, std::int64_t cache);

}  // namespace beffio
