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

// A rank that was waiting when nobody could go on.
struct blocked_rank {
  int rank = 0;
  bool in_background = false;  // a nonblocking call of this rank
  double since = 0;            // seconds
  std::string waits_for;       // "receive from rank 3, tag 7, communicator 0, at main.cpp:12"
  std::string last_passed;     // the last collective call that it left, and its call of a file
};

// A span in the row of one rank. Phases of a file's calls hold the spans of what happens in them.
struct virtual_span {
  int rank = 0;
  // collective, message, file, compute; call, agreement, exchange, waiting, locks
  char const* kind = "";
  std::string_view name;
  std::int64_t begin_ps = 0, end_ps = 0;
  std::int64_t bytes = -1;
  int peer = -1;
  std::int64_t offset = -1;  // in the file
};

// A message that was received.
struct virtual_flow {
  int from = 0, to = 0;
  std::int64_t sent_ps = 0, received_ps = 0;
  std::int64_t bytes = 0;
};

struct virtual_report {
  // a hash of all events and times: equal for equal scenarios and programs
  std::uint64_t trace_hash = 0;
  double seconds = 0;       // when the last rank ended
  std::int64_t events = 0;  // carried out by the scheduler
  std::int64_t messages = 0, message_bytes = 0;
  std::int64_t collectives = 0;  // counted once, not per rank
  std::int64_t file_calls = 0, file_bytes = 0;
  std::int64_t file_runs = 0;  // stretches that reads and writes were of: one call may list several
  // ranks that died, and those that left their program by rank_failure, in this order
  std::vector<int> dead;
  std::vector<blocked_rank> blocked;
  // Faults, pauses and deaths of the scenario that no rank came to: "fault=rank:17,call:write". A
  // test of them tests nothing.
  std::vector<std::string> did_not_happen;
  int ranks_per_node = 1;
  std::vector<virtual_span> timeline;  // if asked for
  std::vector<virtual_flow> flows;     // then, too
};

std::string to_string(virtual_report const& r);
// A line for each thing that ranks wait for, whatever their number: "ranks 0-4, 6-15 wait since
// ...".
std::vector<std::string> lines_of(std::vector<blocked_rank> const& blocked);

// The timeline as JSON for chrome://tracing and Perfetto: a process per node, a row per rank, an
// arrow per message.
std::string timeline_json(virtual_report const& r);

// A run had to end before its programs did. what() has all details.
class virtual_run_error : public std::runtime_error {
 public:
  enum class reason {
    deadlock,  // every rank waits: report().blocked says for what
    // ranks of one communicator are in different collective calls, or their arguments do not fit
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
