// Process grids: balanced dimensions, coordinates, neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <argosy/datatype/process_grid.hpp>

namespace io = argosy;

namespace {

std::vector<std::int64_t> dims(io::process_grid const& grid) {
  return {grid.extents().begin(), grid.extents().end()};
}

// Tries all products of n whose factors never increase. The smallest in lexical order wins.
void all_products(int n, std::size_t count, std::vector<std::int64_t>& so_far,
                  std::vector<std::int64_t>& best) {
  if (count == 0) {
    if (n == 1 && (best.empty() || so_far < best)) best = so_far;
    return;
  }
  for (int f = 1; f <= n; ++f) {
    if (n % f != 0 || (!so_far.empty() && f > so_far.back())) continue;
    so_far.push_back(f);
    all_products(n / f, count - 1, so_far, best);
    so_far.pop_back();
  }
}

static_assert(io::process_grid(12, 3).extent(0) == 3 && io::process_grid(12, 3).extent(2) == 2);
static_assert(io::process_grid(6, {0, 3}, {true, false}).neighbour(0, 0, -1) == 3);
static_assert(!io::process_grid(6, {0, 3}, {true, false}).neighbour(0, 1, -1));

}  // namespace

TEST_CASE("dimensions are as equal as the number of processes allows", "[process_grid]") {
  for (int n = 1; n <= 200; ++n)
    for (int d = 1; d <= 4; ++d) {
      CAPTURE(n, d);
      std::vector<std::int64_t> so_far, best;
      all_products(n, static_cast<std::size_t>(d), so_far, best);
      CHECK(dims(io::process_grid(n, d)) == best);
    }
  CHECK(dims(io::process_grid(1048576, 3)) == std::vector<std::int64_t>{128, 128, 64});
  // a prime
  CHECK(dims(io::process_grid(2147483647, 3)) == std::vector<std::int64_t>{2147483647, 1, 1});
  CHECK(dims(io::process_grid(720720, 6)).front() <= 11 + 2);
}

TEST_CASE("dimensions that are given stay, free ones are balanced among themselves",
          "[process_grid]") {
  CHECK(dims(io::process_grid(24, {0, 2, 0})) == std::vector<std::int64_t>{4, 2, 3});
  CHECK(dims(io::process_grid(24, {4, 6})) == std::vector<std::int64_t>{4, 6});
  CHECK(dims(io::process_grid(7, {7, 0})) == std::vector<std::int64_t>{7, 1});
}

TEST_CASE("ranks and coordinates belong to each other, in C order", "[process_grid]") {
  io::process_grid const grid(30, {5, 2, 3});
  int expected = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k, ++expected) {
        CHECK(grid.rank({i, j, k}) == expected);
        CHECK(grid.coordinates(expected) == io::numbers<>(std::array{i, j, k}));
      }
}

TEST_CASE("neighbours wrap around where the grid is periodic, and nowhere else", "[process_grid]") {
  io::process_grid const grid(12, {4, 3}, {true, false});
  for (int r = 0; r < 12; ++r) {
    CHECK(grid.neighbour(r, 0, 1) == (r + 3) % 12);
    CHECK(grid.neighbour(r, 0, -5) == (r + 60 - 15) % 12);
    CHECK(grid.neighbour(r, 1, 1) == (r % 3 == 2 ? std::optional<int>() : r + 1));
    CHECK(grid.neighbour(r, 1, -1) == (r % 3 == 0 ? std::optional<int>() : r - 1));
  }
  // Such a grid, made of lists of run time.
  std::vector<int> const sizes{4, 0};
  CHECK(io::process_grid(12, sizes, std::vector<bool>{true, false}) == grid);
  CHECK(io::process_grid(12, sizes, std::array{true, false}) == grid);
  CHECK(io::process_grid(12, sizes, std::vector<bool>()) == io::process_grid(12, {4, 3}));
}

TEST_CASE("a grid that cannot be is refused with the numbers in the message",
          "[process_grid][error]") {
  CHECK_THROWS_WITH(io::process_grid(10, {3, 0}),
                    Catch::Contains("multiply to 3") && Catch::Contains("10 processes"));
  CHECK_THROWS_AS(io::process_grid(10, {5, 3}), io::invalid_layout);
  CHECK_THROWS_AS(io::process_grid(10, {5, -2}), io::invalid_layout);
  CHECK_THROWS_WITH(io::process_grid(0, 2),
                    Catch::Contains("the number of processes is 0; give 1 or more"));
  CHECK_THROWS_AS(io::process_grid(4, 0), io::invalid_layout);
  CHECK_THROWS_AS(io::process_grid(4, 2, {true}), io::invalid_layout);
  CHECK_THROWS_WITH(io::process_grid(4, std::vector<int>{2, 2}, std::vector<bool>(3)),
                    Catch::Contains("2 dimensions") && Catch::Contains("3 periodic flags"));
  CHECK_THROWS_WITH(io::process_grid(4, 2).coordinates(4), Catch::Contains("rank 4"));
  CHECK_THROWS_WITH(io::process_grid(4, 2).neighbour(0, 2, 1),
                    Catch::Contains("dimension 2 of a grid that has 2; they count from 0"));
}
