// Reports as text: what a user reads first.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/plan/report.hpp>

#include "support/catch.hpp"

namespace io = argosy;

TEST_CASE("a report in one line says policy, bytes and calls of the file", "[report]") {
  io::report r{.policy = "two_phase", .reason = "why", .bytes = 64000, .windows = 1};
  CHECK(to_string(r) == "two_phase: 64000 bytes, no call of the file by this rank");
  r.write_calls = 1;
  r.bytes_written = 256000;
  CHECK(to_string(r) == "two_phase: 64000 bytes, 1 write of 256000 bytes");
  r.read_calls = 2;
  r.bytes_read = 1;
  CHECK(to_string(r) == "two_phase: 64000 bytes, 2 reads of 1 byte in all, 1 write of 256000 bytes");
  CHECK(to_string(io::report{.bytes = 1}) == "1 byte, no call of the file by this rank");  // a call that failed early
}

TEST_CASE("a report as a table says all the rest", "[report]") {
  io::report const r{"sieving", "prices", 1, 15, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  CHECK(to_table(r) ==
        "  policy          sieving\n"
        "  reason          prices\n"
        "  bytes           1\n"
        "  memory_bytes    15\n"
        "  rounds          2\n"
        "  messages        3\n"
        "  message_bytes   4\n"
        "  view_bytes      5\n"
        "  windows         6\n"
        "  read_calls      7\n"
        "  bytes_read      10\n"
        "  write_calls     8\n"
        "  bytes_written   11\n"
        "  merged_bytes    12\n"
        "  locks           9\n"
        "  fallbacks       13\n"
        "  hinted_ranges   14\n");
}
