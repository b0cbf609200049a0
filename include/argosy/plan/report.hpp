// A report: what a call really did.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <argosy/plan/reason_text.hpp>

namespace argosy {

struct report {
  std::string policy;
  reason_text reason;
  std::int64_t bytes = 0;     // of the request that were transferred, counted along the stream from its start
  std::int64_t rounds = 0;    // of exchange with other ranks; 0: each rank went alone
  std::int64_t messages = 0;  // to ranks of other nodes
  std::int64_t message_bytes = 0;
  std::int64_t view_bytes = 0;  // that told them how the data lies in the file
  std::int64_t windows = 0;     // that were carried out
  std::int64_t read_calls = 0;  // of the handle
  std::int64_t write_calls = 0;
  std::int64_t locks = 0;
  std::int64_t bytes_read = 0;  // between handle and memory: holes of merged windows count
  std::int64_t bytes_written = 0;
  std::int64_t merged_bytes = 0;   // of those, read only to be written back or thrown away
  std::int64_t fallbacks = 0;      // merged windows that were written by pieces: nothing could be locked, or read
  std::int64_t hinted_ranges = 0;  // that the file system accepted, to fetch them ahead
};

std::string to_string(report const& r);

inline std::string to_string(report const& r) {
  return r.policy + ": " + std::to_string(r.bytes) + " bytes, " + std::to_string(r.windows) + " windows, " +
         std::to_string(r.read_calls) + " reads of " + std::to_string(r.bytes_read) + " bytes, " +
         std::to_string(r.write_calls) + " writes of " + std::to_string(r.bytes_written) + " bytes, " +
         std::to_string(r.locks) + " locks, " + std::to_string(r.merged_bytes) + " bytes merged, " +
         std::to_string(r.fallbacks) + " fallbacks (" + r.reason.str() + ")";
}

}  // namespace argosy
