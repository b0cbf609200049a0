// Marks of a window that is touched in places, compared with a bit for each granule.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <vector>

#include <argosy/exchange/detail/window_marks.hpp>

#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"

using namespace argosy::test;
using argosy::detail::window_marks;

TEST_CASE("marks are what was set, whatever was in memory before", "[exchange][marks][random]") {
  engine random(seed());
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(seed(), round);
    std::int64_t const words = pick(random, 1, 20), end = 64 * words - pick(random, 0, 63);
    std::vector<std::uint64_t> memory(static_cast<std::size_t>(words));
    for (std::uint64_t& w : memory) w = random();
    window_marks all(memory);
    std::vector<bool> expected(static_cast<std::size_t>(end));
    for (std::int64_t n = pick(random, 0, 5); n > 0; --n) {
      std::int64_t const from = pick(random, 0, end - 1), to = pick(random, from, end);
      all.reach(from, to).set(from, to);
      for (std::int64_t i = from; i < to; ++i) expected[static_cast<std::size_t>(i)] = true;
    }
    std::vector<bool> found(static_cast<std::size_t>(end));
    for (std::int64_t from = all.next_set(0, end); from < end;) {
      std::int64_t const to = all.next_clear(from, end);
      REQUIRE(to > from);
      REQUIRE(to <= end);
      for (std::int64_t i = from; i < to; ++i) found[static_cast<std::size_t>(i)] = true;
      from = all.next_set(to, end);
    }
    REQUIRE(found == expected);
  }
}

TEST_CASE("words that no mark comes near are not touched", "[exchange][marks]") {
  std::vector<std::uint64_t> memory(100, 7);
  window_marks all(memory);
  CHECK(all.next_set(0, 6400) == 6400);
  all.reach(640, 700).set(650, 660);
  CHECK(all.next_set(0, 6400) == 650);
  CHECK(all.next_clear(650, 6400) == 660);
  CHECK(all.next_set(660, 6400) == 6400);
  CHECK(memory[9] == 7);
  CHECK(memory[10] != 7);
  CHECK(memory[11] == 7);
}
