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
  CHECK(to_string(r) ==
        "two_phase: 64000 bytes, 2 reads of 1 byte in all, 1 write of 256000 bytes");
  // a call that failed early
  CHECK(to_string(io::report{.bytes = 1}) == "1 byte, no call of the file by this rank");
}

TEST_CASE("the line of a report has what went between ranks, each in its number", "[report]") {
  io::report r{.policy = "two_phase",
               .bytes = 10,
               .rounds = 1,
               .messages = 1,
               .message_bytes = 1,
               .view_bytes = 1};
  r.merged_bytes = r.fallbacks = r.hinted_ranges = 1;
  CHECK(to_string(r) ==
        "two_phase: 10 bytes, no call of the file by this rank, 1 byte of holes read, 1 window by "
        "pieces instead of "
        "merged, 1 round, 1 message of 1 byte and 1 byte about views, 1 hinted range");
  r = {.bytes = 10, .rounds = 2, .messages = 2, .message_bytes = 30, .view_bytes = 40};
  r.merged_bytes = r.fallbacks = r.hinted_ranges = 3;
  r.time_ns = 1000;  // differs from run to run
  CHECK(to_string(r) ==
        "10 bytes, no call of the file by this rank, 3 bytes of holes read, 3 windows by pieces "
        "instead of merged, "
        "2 rounds, 2 messages of 30 bytes in all and 40 bytes about views, 3 hinted ranges");
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
        "  merged_bytes    12  of holes: read, and written back or thrown away\n"
        "  locks           9\n"
        "  fallbacks       13\n"
        "  hinted_ranges   14\n");
}

TEST_CASE("the table of a call in the background says how long the program waited for it",
          "[report]") {
  io::report r{.bytes = 3'000'000};
  r.time_ns = 2'280'000'000;
  CHECK(to_table(r).find("waited_ns") == std::string::npos);
  r.in_background = true;
  r.waited_ns = 970'000'000;
  CHECK_THAT(
      to_table(r),
      Catch::Contains(
          "  waited_ns       970000000  970.00 ms: in the background 2.280 s, of which the program "
          "waited 970.00 ms\n"));
  CHECK(r.exchange_ns() == r.time_ns);  // the wait is no part of the call
}

TEST_CASE("the table of a report that was timed has times, their rest, and the rate", "[report]") {
  io::report r{.bytes = 3'000'000};
  CHECK(to_table(r).find("time_ns") == std::string::npos);
  CHECK(r.mb_per_s() == 0);
  r.time_ns = 2'000'000;
  r.agreement_ns = 5'000;
  r.waiting_ns = 10'000;
  r.file_ns = 1'500'000;
  r.lock_ns = 85'000;
  CHECK(r.exchange_ns() == 400'000);
  CHECK(r.mb_per_s() == 1500);
  std::string const text = to_table(r);
  CHECK(text.substr(text.find("  time_ns")) ==
        "  time_ns         2000000  2.00 ms\n"
        "  agreement_ns    5000  5.0 us\n"
        "  waiting_ns      10000  10.0 us\n"
        "  file_ns         1500000  1.50 ms\n"
        "  lock_ns         85000  85.0 us\n"
        "  exchange_ns     400000  400.0 us, the rest\n"
        "  rate            1500.0 MB/s of the request\n");
}
