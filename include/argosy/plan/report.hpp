// A report: the actions of a call, with numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <argosy/plan/reason_text.hpp>

namespace argosy {

struct report {
  std::string policy = {};
  extend::reason_text reason = {};
  // Transferred bytes of the request, counted along its stream from the start.
  std::int64_t bytes = 0;
  std::int64_t memory_bytes = 0;  // counted in memory, as MPI_Get_count does
  std::int64_t rounds = 0;        // rounds of exchange with other ranks; 0 for separate access
  std::int64_t messages = 0;      // sent to ranks of other nodes
  std::int64_t message_bytes = 0;
  std::int64_t view_bytes = 0;  // bytes of messages that describe the data in the file
  std::int64_t windows = 0;     // windows carried out
  std::int64_t read_calls = 0;  // calls of the handle
  std::int64_t write_calls = 0;
  std::int64_t locks = 0;
  std::int64_t bytes_read = 0;  // between file and memory, including gaps of merged windows
  std::int64_t bytes_written = 0;
  // Bytes of gaps in merged windows. They are read, and then written back or discarded.
  std::int64_t merged_bytes = 0;
  // Windows written by pieces instead of merged, because there was no lock or the read failed.
  std::int64_t fallbacks = 0;
  std::int64_t hinted_ranges = 0;  // ranges that the file system accepted for prefetching

  // The time of the call on this rank, in nanoseconds, and its parts. All are 0 if the call was not
  // timed. Calls of at least least_timed_bytes are timed, and so are collective calls in which
  // ranks do more than access one contiguous range each. Other calls are timed only if
  // ARGOSY_REPORT is set, because reading a clock costs as much as they do.
  static constexpr std::int64_t least_timed_bytes = 256 << 10;
  std::int64_t time_ns = 0;
  // Time before data moves, in which early ranks wait for late ones.
  std::int64_t agreement_ns = 0;
  // Time of waiting for windows, messages and answers of other ranks, and for the end of the last
  // rank.
  std::int64_t waiting_ns = 0;
  std::int64_t file_ns = 0;  // in reads and writes of the file
  std::int64_t lock_ns = 0;  // locking and unlocking
  // The time in which the program waited for a nonblocking call. It may wait in the call that began
  // it, and in test() and wait(). With argosy_progress = in_calls it also waits in other calls of
  // the file that carried it out. Requests of any size are timed.
  std::int64_t waited_ns = 0;
  bool in_background = false;  // true for a nonblocking call that has begun; else waited_ns is 0
  // Returns the rest of the time: copying, messages and computation.
  std::int64_t exchange_ns() const noexcept {
    return time_ns - agreement_ns - waiting_ns - file_ns - lock_ns;
  }
  // Returns 10^6 bytes of the request per second, or 0 if the call was not timed.
  double mb_per_s() const noexcept {
    return time_ns > 0 ? static_cast<double>(bytes) * 1e3 / static_cast<double>(time_ns) : 0;
  }
};

namespace detail {

// The numbers of a report, with their names.
struct report_number {
  std::string_view name;
  std::int64_t report::* value;
  bool is_time = false;
};
inline constexpr std::array<report_number, 21> report_numbers{{
    {"bytes", &report::bytes},
    {"memory_bytes", &report::memory_bytes},
    {"rounds", &report::rounds},
    {"messages", &report::messages},
    {"message_bytes", &report::message_bytes},
    {"view_bytes", &report::view_bytes},
    {"windows", &report::windows},
    {"read_calls", &report::read_calls},
    {"bytes_read", &report::bytes_read},
    {"write_calls", &report::write_calls},
    {"bytes_written", &report::bytes_written},
    {"merged_bytes", &report::merged_bytes},
    {"locks", &report::locks},
    {"fallbacks", &report::fallbacks},
    {"hinted_ranges", &report::hinted_ranges},
    {"time_ns", &report::time_ns, true},
    {"agreement_ns", &report::agreement_ns, true},
    {"waiting_ns", &report::waiting_ns, true},
    {"file_ns", &report::file_ns, true},
    {"lock_ns", &report::lock_ns, true},
    {"waited_ns", &report::waited_ns, true},
}};

}  // namespace detail

// Returns one line: the policy, the bytes of the request, the file calls of this rank, and its
// exchange with other ranks. It has no times, so it is the same in every run. Local.
std::string to_string(report const& r);

// Returns a line for each member, with its name. Times and rate are included if the call was timed.
// Local.
std::string to_table(report const& r);

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/plan/detail/report.hpp>
#endif
