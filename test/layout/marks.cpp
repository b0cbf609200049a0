// Marks of granules, compared with bits that are set one by one.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout/detail/marks.hpp>

#include "support/catch.hpp"
#include "support/seed.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

using argosy::detail::marks;

TEST_CASE("bits at one distance are those that are set one by one", "[layout][marks]") {
  std::mt19937_64 draw(argosy::test::seed());
  auto const below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(n));
  };
  constexpr std::int64_t words = 12, bits = 64 * words;
  for (int i = 0; i < 20000; ++i) {
    std::int64_t const step = 1 + below(90), width = below(20) == 0 ? step : 1 + below(step),
                       from = below(300);
    std::int64_t const most = (bits - from - width) / step + 1;
    std::int64_t const count = 1 + below(below(3) == 0 ? std::min<std::int64_t>(most, 6) : most);
    std::vector<std::uint64_t> at_once(words), one_by_one(words);
    for (std::size_t w = 0; w < at_once.size(); ++w)
      at_once[w] = one_by_one[w] = below(2) == 0 ? 0 : draw() & draw();
    marks(std::span(at_once)).set(from, width, step, count);
    for (std::int64_t c = 0; c < count; ++c)
      for (std::int64_t bit = from + c * step; bit < from + c * step + width; ++bit)
        one_by_one[static_cast<std::size_t>(bit / 64)] |= std::uint64_t{1} << (bit % 64);
    CAPTURE(argosy::test::seed(), from, width, step, count);
    REQUIRE(at_once == one_by_one);
  }
}
