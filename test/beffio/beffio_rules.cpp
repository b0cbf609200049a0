// The rules of b_eff_io, compared with the published tables and formulas.
// SPDX-License-Identifier: BSD-3-Clause
#include "../support/catch.hpp"

#include <cmath>
#include <map>

#include <beffio/rules.hpp>
#include <beffio/schedule.hpp>

using namespace beffio;

namespace {

constexpr std::int64_t K = 1024, M = 1024 * 1024, part = 5 * M;

struct published {
  int type, row;
  std::int64_t l, L;
  int U;
};
// Table 1 of the publication, with types 3 and 4 written out, and an MPART of 5 MiB.
constexpr published table1[] = {{0, 0, M, M, 0},           {0, 1, part, part, 4},
                                {0, 2, M, 2 * M, 4},       {0, 3, M, M, 4},
                                {0, 4, 32 * K, M, 2},      {0, 5, K, M, 2},
                                {0, 6, 32776, M + 256, 2}, {0, 7, 1032, M + 8 * K, 2},
                                {0, 8, M + 8, M + 8, 2},   {1, 0, M, M, 0},
                                {1, 1, part, part, 4},     {1, 2, M, M, 2},
                                {1, 3, 32 * K, 32 * K, 1}, {1, 4, K, K, 1},
                                {1, 5, 32776, 32776, 1},   {1, 6, 1032, 1032, 1},
                                {1, 7, M + 8, M + 8, 2},   {2, 0, M, M, 0},
                                {2, 1, part, part, 2},     {2, 2, M, M, 2},
                                {2, 3, 32 * K, 32 * K, 1}, {2, 4, K, K, 1},
                                {2, 5, 32776, 32776, 1},   {2, 6, 1032, 1032, 1},
                                {2, 7, M + 8, M + 8, 2},   {3, 0, M, M, 0},
                                {3, 1, part, part, 2},     {3, 2, M, M, 2},
                                {3, 3, 32 * K, 32 * K, 1}, {3, 4, K, K, 1},
                                {3, 5, 32776, 32776, 1},   {3, 6, 1032, 1032, 1},
                                {3, 7, M + 8, M + 8, 2},   {4, 0, M, M, 0},
                                {4, 1, part, part, 2},     {4, 2, M, M, 2},
                                {4, 3, 32 * K, 32 * K, 1}, {4, 4, K, K, 1},
                                {4, 5, 32776, 32776, 1},   {4, 6, 1032, 1032, 1},
                                {4, 7, M + 8, M + 8, 2}};

// Returns the values of one method, for types 0 to 4.
by_type values(double a, double b, double c, double d, double e) { return {a, b, c, d, e}; }

}  // namespace

TEST_CASE("the patterns are those of the published table", "[beffio]") {
  std::size_t count = 0;
  std::map<int, int> units_of_type;
  for (int t = 0; t < types; ++t) {
    auto const all = patterns_of(t, part);
    for (std::size_t k = 0; k < all.size(); ++k) {
      CAPTURE(t, k);
      REQUIRE(count < std::size(table1));
      published const& p = table1[count++];
      REQUIRE((p.type == t && p.row == static_cast<int>(k)));
      CHECK(all[k].chunk == p.l);
      CHECK(all[k].memory == p.L);
      CHECK(all[k].units == p.U);
      CHECK(all[k].memory % all[k].chunk == 0);
      CHECK(all[k].memory % 8 == 0);
      units_of_type[t] += all[k].units;
    }
  }
  CHECK(count == std::size(table1));
  CHECK(units_of_type == std::map<int, int>{{0, 22}, {1, 12}, {2, 10}, {3, 10}, {4, 10}});
}

TEST_CASE("the longest chunk is a 128th of a rank's memory, 2 MiB at least and 1 GiB at most",
          "[beffio]") {
  CHECK(longest_chunk(1) == 2 * M);
  CHECK(longest_chunk(256) == 2 * M);
  CHECK(longest_chunk(2048) == 16 * M);  // the value on ASCI White
  CHECK(longest_chunk(8192) == 64 * M);
  CHECK(longest_chunk(1 << 20) == 1024 * M);
  CHECK(longest_chunk(1001) % 8 == 0);
}

TEST_CASE("seven chunks are compared, and lie where users know them", "[beffio]") {
  auto const chunks = compared_chunks(part);
  for (int t = 0; t < types; ++t) {
    auto const numbers = compared_patterns(t);
    auto const all = patterns_of(t, part);
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      pattern const& p = all[static_cast<std::size_t>(numbers[k])];
      CAPTURE(t, k);
      CHECK(p.chunk == chunks[k]);
      CHECK(p.units > 0);
      CHECK(!(t == 0 && p.memory == 2 * M));
    }
  }
  CHECK(chunk_places == std::array<int, 7>{1, 2, 4, 5, 7, 8, 10});
}

TEST_CASE("partitions are those of the published formula, with its exceptions", "[beffio]") {
  struct {
    int size, small, medium;
  } const known[] = {{3, 1, 2},    {4, 2, 3},       {5, 2, 4},       {6, 2, 4},      {7, 2, 4},
                     {8, 2, 4},    {11, 2, 4},      {12, 2, 8},      {16, 2, 8},     {17, 2, 8},
                     {24, 4, 8},   {32, 4, 16},     {48, 4, 16},     {64, 4, 16},    {96, 4, 32},
                     {100, 4, 32}, {128, 4, 32},    {192, 8, 32},    {256, 8, 64},   {336, 8, 64},
                     {512, 8, 64}, {1024, 16, 128}, {2048, 16, 256}, {4096, 16, 256}};
  for (auto const& k : known) {
    CAPTURE(k.size);
    CHECK(partitions_of(k.size) == std::vector<int>{k.small, k.medium, k.size});
  }
  CHECK(partitions_of(1) == std::vector<int>{1});
  CHECK(partitions_of(2) == std::vector<int>{1, 2});
}

TEST_CASE("averages of the published measurements are the published ones", "[beffio]") {
  struct {
    char const* set;
    by_type write, rewrite, read;
    double write_average, read_average, b_eff_io;
  } const white[] = {{"baseline", values(197, 188, 104, 338, 13), values(190, 172, 83, 186, 11),
                      values(122, 130, 96, 408, 11), 171.67, 148.17, 159.48},
                     {"second", values(284, 277, 435, 541, 524), values(197, 244, 241, 228, 431),
                      values(483, 346, 609, 586, 590), 376.33, 516.17, 440.74},
                     {"third", values(397, 282, 423, 533, 502), values(449, 265, 234, 297, 297),
                      values(441, 282, 579, 554, 544), 431.00, 473.50, 451.75}};
  for (auto const& w : white) {
    CAPTURE(w.set);
    auto const write = average(release::r2, method::write, w.write, w.rewrite[0]);
    auto const read = average(release::r2, method::read, w.read);
    REQUIRE((write && read));
    CHECK(std::abs(*write - w.write_average) < 0.01);
    CHECK(std::abs(*read - w.read_average) < 0.01);
    CHECK(std::abs(*partition_value(release::r2, write, {}, read) - w.b_eff_io) < 0.01);
  }
  // Release 1 has a weighted average of each method. These are the rows of the same table; type 0
  // counts twice.
  CHECK(std::abs(*average(release::r1, method::write, white[0].write) - 172.83) < 0.01);
  CHECK(std::abs(*average(release::r1, method::rewrite, white[1].rewrite) - 256.33) < 0.01);
  CHECK(*partition_value(release::r1, 100.0, 60.0, 200.0) == 140.0);
}

TEST_CASE("a value that lacks a part is none", "[beffio]") {
  by_type const whole = values(1, 2, 3, 4, 5);
  by_type lacking = whole;
  lacking[3].reset();
  CHECK(!average(release::r1, method::rewrite, lacking));
  CHECK(!average(release::r2, method::read, lacking));
  CHECK(!average(release::r2, method::write, whole, {}));
  CHECK(!partition_value(release::r2, {}, 1.0, 1.0));
  CHECK(!partition_value(release::r1, 1.0, {}, 1.0));
  CHECK(partition_value(release::r2, 4.0, {}, 9.0) == 6.0);
}

TEST_CASE("time is shared by the units of the methods that are run", "[beffio]") {
  auto const unit = [](schedule s) { return s.unit_seconds(); };
  CHECK(unit({.seconds = 1800, .partitions = 3}) == 4.0);  // 1800 / 3 / 150
  // 1800 / 192, as on ASCI White
  CHECK(unit({.seconds = 1800, .partitions = 1, .all_rewrites = true}) == 9.375);
  schedule const first{.rules = release::r1, .seconds = 900, .partitions = 3};
  // for each partition
  for (int u : {1, 2, 4}) CHECK(first.seconds_of({K, K, u}) == 900.0 / 3 * u / 64);
  CHECK(first.planned_seconds() == 2700);
  CHECK(schedule{.seconds = 900, .partitions = 3}.planned_seconds() == 900);
  CHECK(is_run(release::r2, false, method::rewrite, 0));
  CHECK_FALSE(is_run(release::r2, false, method::rewrite, 1));
  CHECK(is_run(release::r2, true, method::rewrite, 4));
  CHECK(is_run(release::r1, false, method::rewrite, 4));
  CHECK(is_run(release::r2, false, method::read, 4));
}

TEST_CASE("a pattern ends when one more call would take it over its time", "[beffio]") {
  for (double const call : {0.001, 0.3, 0.7, 1.0, 2.5, 9.0}) {
    for (double const planned : {0.0, 1.0, 2.5, 7.9}) {
      CAPTURE(call, planned);
      std::int64_t const hoped =
          std::max<std::int64_t>(1, static_cast<std::int64_t>(planned / call + 1e-9));
      std::int64_t done = 0, looks = 0;
      while (std::int64_t const n = calls_to_come(done, static_cast<double>(done) * call,
                                                  planned * (1 + 1e-9), false)) {
        CHECK(n == 1);
        done += n;
      }
      CHECK(done == hoped);
      done = 0;
      while (std::int64_t const n = calls_to_come(done, static_cast<double>(done) * call,
                                                  planned * (1 + 1e-9), true)) {
        CHECK(n <= std::max<std::int64_t>(1, done));
        done += n;
        ++looks;
      }
      CHECK(done == hoped);
      CHECK(static_cast<double>(looks) <= 2 * std::log2(static_cast<double>(hoped)) + 2);
    }
  }
  CHECK(calls_to_come(5, 0, 1, false) == 1);  // a clock that stands still
  CHECK(calls_to_come(5, 0, 1, true) == 5);
}

TEST_CASE("segmented types repeat as often as the others had time for", "[beffio]") {
  std::int64_t const of_scatter[] = {1, 5, 3, 7, 2, 4, 6, 1, 9},
                     of_shared[] = {1, 2, 3, 4, 5, 6, 7, 8},
                     of_separated[] = {1, 100, 100, 1000, 45, 1000, 1000, 1000};
  auto const counts = segmented_counts(part, of_scatter, of_shared, of_separated);
  // min(rep0 * L0 / l0, min(10 * rep1, rep2))
  CHECK(counts == std::vector<std::int64_t>{1, 5, 7, 40, 45, 60, 70, 9});

  segment const s = segment_of(patterns_of(segmented, part), counts);
  std::int64_t const sum =
      M + 5 * part + 7 * M + 40 * 32 * K + 45 * K + 60 * 32776 + 70 * 1032 + 9 * (M + 8);
  CHECK(s.bytes % M == 0);
  CHECK(s.bytes == sum + s.filler);
  CHECK((s.filler > 0 && s.filler < M && s.filler % 8 == 0));
  // If the sum is a whole number of MiB, no filler is needed.
  segment const whole =
      segment_of(patterns_of(segmented, part), std::vector<std::int64_t>{1, 1, 2, 32, 0, 0, 0, 0});
  CHECK((whole.bytes == 9 * M && whole.filler == 0));
}

TEST_CASE("patterns end before the files take more than they may", "[beffio]") {
  int const ranks = 3;
  std::int64_t const budget = std::int64_t{400} * M;
  std::int64_t bytes = 0;
  for (int t = 0; t < types; ++t)
    for (pattern const& p : patterns_of(t, part)) {
      // No segmented pattern has more bytes than the separated one.
      std::int64_t const calls = p.units == 0 ? 1 : most_calls(budget, ranks, p);
      CHECK(calls >= 1);
      bytes += ranks * calls * p.memory;
    }
  bytes += 2 * ranks * M;  // fillers
  CHECK(bytes <= budget);
  CHECK(bytes > budget / 2);
  CHECK(most_calls(any_number, ranks, {K, K, 1}) == any_number);
  CHECK(most_calls(0, ranks, {K, K, 1}) == 1);
  // Each pattern once.
  std::int64_t least = 2 * M;
  for (published const& p : table1) least += p.L;
  CHECK(least_bytes(ranks, part) == ranks * least);
}

TEST_CASE("an estimate knows the slower of schedule and disk", "[beffio]") {
  schedule const s{.seconds = 150, .partitions = 1};
  estimate const fast = estimated(s, {.cached = 1e9, .stored = 1e9});
  CHECK(std::abs(fast.seconds - 150) < 1e-6);
  CHECK(fast.bytes == 64'000'000'000);
  // Data that is written in 64 s takes 640 s to be stored. The rewrite of a third of it takes 220
  // s.
  estimate const slow = estimated(s, {.cached = 1e9, .stored = 1e8});
  CHECK(std::abs(slow.seconds - (640 + 220 + 64)) < 1e-6);
  CHECK(estimated({.seconds = 150, .partitions = 3}, {.cached = 1e9, .stored = 1e9}).bytes ==
        64'000'000'000);
}
