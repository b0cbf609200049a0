// A report: what a call really did.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <argosy/plan/reason_text.hpp>

namespace argosy {

struct report {
  std::string policy = {};
  reason_text reason = {};
  std::int64_t bytes = 0;         // transferred of the request, counted along its stream from the start
  std::int64_t memory_bytes = 0;  // the same as they lie in memory: what MPI_Get_count counts in
  std::int64_t rounds = 0;        // rounds of exchange with other ranks; 0: each rank went alone
  std::int64_t messages = 0;      // sent to ranks of other nodes
  std::int64_t message_bytes = 0;
  std::int64_t view_bytes = 0;  // bytes of messages that say how the data lies in the file
  std::int64_t windows = 0;     // windows carried out
  std::int64_t read_calls = 0;  // calls of the handle
  std::int64_t write_calls = 0;
  std::int64_t locks = 0;
  std::int64_t bytes_read = 0;  // between file and memory, holes of merged windows included
  std::int64_t bytes_written = 0;
  std::int64_t merged_bytes = 0;   // bytes that were read only to be written back or thrown away
  std::int64_t fallbacks = 0;      // windows written by pieces instead of merged: no lock, or the read failed
  std::int64_t hinted_ranges = 0;  // ranges that the file system accepted, to prefetch them
};

// One line: the policy, the bytes of the request, and the calls of the file by this rank.
std::string to_string(report const& r);

// Everything else: a line for each member, with its name.
std::string to_table(report const& r);

}  // namespace argosy

#include <argosy/plan/detail/report.hpp>
