// The report of a run of the virtual cluster.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace argosy::lab {

// A rank that was waiting when no rank could continue.
struct blocked_rank {
  int rank = 0;
  bool in_background = false;  // true for a nonblocking call of this rank
  double since = 0;            // seconds
  std::string waits_for;       // "receive from rank 3, tag 7, communicator 0, at main.cpp:12"
  std::string last_passed;     // the last collective call that it left, and its call of a file
};

// An interval in the row of one rank. The interval of a file's phase contains those of the
// operations in it.
struct virtual_span {
  int rank = 0;
  // collective, message, file, compute; call, agreement, exchange, waiting, locks
  std::string_view kind = {};
  std::string_view name;
  std::int64_t begin_ps = 0, end_ps = 0;
  std::int64_t bytes = -1;
  int peer = -1;
  std::int64_t offset = -1;  // offset in the file
};

// A message that was received.
struct virtual_flow {
  int from = 0, to = 0;
  std::int64_t sent_ps = 0, received_ps = 0;
  std::int64_t bytes = 0;
};

struct virtual_report {
  // a hash of all events and times; equal for equal scenarios and programs
  std::uint64_t trace_hash = 0;
  double seconds = 0;       // when the last rank ended
  std::int64_t events = 0;  // events that the scheduler carried out
  std::int64_t messages = 0, message_bytes = 0;
  std::int64_t collectives = 0;  // counted once, not per rank
  std::int64_t file_calls = 0, file_bytes = 0;
  // pieces of the file that reads and writes asked for; one call may list several
  std::int64_t file_runs = 0;
  // the ranks that died or left their program by rank_failure, in the order of events
  std::vector<int> dead;
  std::vector<blocked_rank> blocked;
  // Faults, pauses and deaths of the scenario that did not take place, because no rank came so far:
  // "fault=rank:17,call:write". It also lists a disk of the scenario that no file used. A test that
  // relies on them tests nothing.
  std::vector<std::string> did_not_happen;
  int ranks_per_node = 1;
  std::vector<virtual_span> timeline;  // empty unless virtual_options::timeline is set
  std::vector<virtual_flow> flows;     // likewise
};

std::string to_string(virtual_report const& r);

namespace detail {

// Returns one line for each operation that ranks wait for, with all ranks that wait for it: "ranks
// 0-4, 6-15 wait since ...".
std::vector<std::string> lines_of(std::vector<blocked_rank> const& blocked);

}  // namespace detail

// Returns the timeline as JSON for chrome://tracing and Perfetto. Each node is a process, each rank
// a row, and each message an arrow.
std::string timeline_json(virtual_report const& r);

// Thrown if a run ends before its programs do. Its what() has all details.
class virtual_run_error : public std::runtime_error {
 public:
  enum class reason {
    deadlock,  // every rank waits; see report().blocked
    // ranks of one communicator are in different collective calls, or their arguments do not match
    mismatch,
    too_long,  // a message is longer than the memory of its receive
    too_many_events
  };
  virtual_run_error(reason why, std::string const& words, virtual_report r)
      : std::runtime_error(words), why_(why), report_(std::move(r)) {}

  reason why() const noexcept { return why_; }
  virtual_report const& report() const noexcept { return report_; }

 private:
  reason why_;
  virtual_report report_;
};

}  // namespace argosy::lab
