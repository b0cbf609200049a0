// A report: what a call really did.
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
  reason_text reason = {};
  // transferred of the request, counted along its stream from the start
  std::int64_t bytes = 0;
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
  // of holes in merged windows: read, and then written back or thrown away
  std::int64_t merged_bytes = 0;
  // windows written by pieces instead of merged: no lock, or the read failed
  std::int64_t fallbacks = 0;
  std::int64_t hinted_ranges = 0;  // ranges that the file system accepted, to prefetch them

  // The time of the call on this rank, in nanoseconds, and parts of it. All are 0 where it was not
  // taken: calls of least_timed_bytes are timed, and collective ones that are more than a stretch
  // of the file for each rank by itself; others only if ARGOSY_REPORT is set, since a clock costs
  // as much as they do.
  static constexpr std::int64_t least_timed_bytes = 256 << 10;
  std::int64_t time_ns = 0;
  // before data moves: whoever comes early waits there for the others
  std::int64_t agreement_ns = 0;
  // for windows, messages and answers of other ranks, and for the last one to be done
  std::int64_t waiting_ns = 0;
  std::int64_t file_ns = 0;  // in reads and writes of the file
  std::int64_t lock_ns = 0;  // taking locks, and giving them back
  // The time in which the program waited for a call in the background: in the call that began it,
  // in test() and wait(), and in other calls of the file that carried it out (argosy_progress =
  // in_calls). Requests of any size are timed.
  std::int64_t waited_ns = 0;
  bool in_background = false;  // false: a blocking call, and waited_ns is 0
  // The rest: copying, messages, and thinking about it.
  std::int64_t exchange_ns() const noexcept {
    return time_ns - agreement_ns - waiting_ns - file_ns - lock_ns;
  }
  // 10^6 bytes of the request per second; 0 if no time was taken.
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

// One line: the policy, the bytes of the request, the calls of the file by this rank, and what it
// exchanged with others. The same in every run: no times.
std::string to_string(report const& r);

// Everything: a line for each member, with its name; times and rate where they were taken.
std::string to_table(report const& r);

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/plan/detail/report.hpp>
#endif
