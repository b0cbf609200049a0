// Reads traces of ranks: the calls of files that `ARGOSY_TRACE` wrote.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::tool {

struct trace_event {
  int rank = 0;
  std::int64_t thread = 0;
  std::string name, file;
  std::string category = "file";  // "file", "error", or a phase of a call
  std::int64_t begin_ns = 0, took_ns = 0;
  std::int64_t offset = -1, bytes = -1, runs = 1, result = -1;
  std::int64_t number = -1;  // number of the round
  std::string detail;        // flags of an open; "to merge" of a read
  std::string error;         // empty if there is none

  std::int64_t end_ns() const noexcept { return begin_ns + took_ns; }
  bool is_transfer() const noexcept {
    return (name == "read" || name == "write") && (category == "file" || category == "error");
  }
};

// One end of a message between ranks.
struct trace_message {
  int rank = 0, peer = 0;
  std::int64_t thread = 0;
  bool sent = false;
  std::int64_t number = 0;  // counts messages of this file from one of the two ranks to the other
  std::int64_t at_ns = 0, bytes = -1;
  std::string file;
};

struct trace {
  std::vector<trace_event> events;  // in the order of their beginnings
  std::vector<trace_message> messages;
  std::vector<std::string> programs;  // the descriptions in the traces, one for each file
  std::map<int, std::set<std::string>>
      // "pid 12 on host" for each rank; several, if communicators number ranks anew
      processes;
  std::vector<std::string> faults;  // "FILE:12: ..." lines that could not be read
};

// Appends the events of one file's text. `origin` names the file in faults. A torn line is a fault,
// and reading continues after it. Prints a line of text for each event to `lines`, unless that is
// null.
void read_trace(std::string_view text, std::string const& origin, trace& into,
                std::ostream* lines = nullptr);
// Reads the files. Throws std::runtime_error if one cannot be read, or holds no trace.
trace read_traces(std::vector<std::string> const& paths, std::ostream* lines = nullptr);

// Returns one JSON for Perfetto, with a process for each rank, and an arrow for each message whose
// two ends are in the traces.
std::string perfetto_json(trace const& t);

}  // namespace argosy::tool
