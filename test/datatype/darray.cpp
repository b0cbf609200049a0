// Distributed arrays, compared with the textbook: the owner of element i, computed one element at a
// time.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/layout.hpp>

#include "support/seed.hpp"

namespace io = argosy;
using io::distribute::kind;
using io::distribute::rule;

namespace {

using list = std::vector<std::int64_t>;

struct problem {
  list sizes, grid;
  std::vector<rule> rules;
  io::order order;
  std::int64_t element;
};

std::int64_t owner(std::int64_t i, std::int64_t n, std::int64_t p, rule r) {
  if (r.kind == kind::none) return 0;
  if (r.kind == kind::block) return i / (r.size > 0 ? r.size : (n + p - 1) / p);
  return i / std::max<std::int64_t>(r.size, 1) % p;
}

std::int64_t product(list const& l) {
  std::int64_t result = 1;
  for (auto n : l) result *= n;
  return result;
}

// Returns the byte offsets of the elements that `rank` owns, in the order of the array.
list owned(problem const& p, std::int64_t rank) {
  std::size_t const d = p.sizes.size();
  list coordinates(d), result;
  for (std::size_t i = d; i-- > 0; rank /= p.grid[i]) coordinates[i] = rank % p.grid[i];
  for (std::int64_t linear = 0; linear < product(p.sizes); ++linear) {
    std::int64_t rest = linear;
    bool mine = true;
    for (std::size_t k = 0; k < d; ++k) {
      std::size_t const i = p.order == io::order::c ? d - 1 - k : k;
      mine = mine && owner(rest % p.sizes[i], p.sizes[i], p.grid[i], p.rules[i]) == coordinates[i];
      rest /= p.sizes[i];
    }
    if (mine)
      for (std::int64_t b = 0; b < p.element; ++b) result.push_back(linear * p.element + b);
  }
  return result;
}

list bytes_of(io::layout const& l) {
  list result;
  for (io::extend::cursor at(l); !at.done(); at.next())
    for (std::int64_t b = at.current().offset; b < at.current().end(); ++b) result.push_back(b);
  return result;
}

problem random_problem(std::mt19937_64& random) {
  auto const pick = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution(from, to)(random);
  };
  problem p;
  std::int64_t const d = pick(1, 4);
  std::int64_t left = 24;
  for (std::int64_t i = 0; i < d; ++i) {
    std::int64_t const n = pick(d == 1 ? 0 : 1, d == 1 ? 60 : d == 2 ? 17 : 7);
    auto const k = static_cast<kind>(pick(0, 2));
    std::int64_t const procs = k == kind::none ? 1 : pick(1, std::min<std::int64_t>(left, 5));
    std::int64_t size = pick(0, 2) == 0 ? pick(1, 5) : 0;
    if (k == kind::none) size = 0;
    if (k == kind::block && size > 0) size += (n + procs - 1) / procs - 1 + (n == 0);
    left /= procs;
    p.sizes.push_back(n);
    p.grid.push_back(procs);
    p.rules.push_back({k, size});
  }
  p.order = pick(0, 1) == 0 ? io::order::c : io::order::fortran;
  p.element = std::array<std::int64_t, 3>{1, 4, 12}[static_cast<std::size_t>(pick(0, 2))];
  return p;
}

// At compile time. A tile of a block-distributed array is a box: two levels of copies around a row.
constexpr io::darray tile(io::list(io::constant<64>, io::constant<64>, io::constant<64>),
                          io::distribute::block,
                          io::list(io::constant<2>, io::constant<2>, io::constant<2>),
                          io::constant<5>, io::type<double>);
static_assert(tile.is_static && std::is_empty_v<decltype(tile)>);
static_assert(tile.form() ==
              io::subarray(io::list(io::constant<64>, io::constant<64>, io::constant<64>),
                           io::list(io::constant<32>, io::constant<32>, io::constant<32>),
                           io::list(io::constant<32>, io::constant<0>, io::constant<32>),
                           io::type<double>)
                  .form());
static_assert(tile.form().nodes().size() == 3 && tile.form().pieces() == 32 * 32);
constexpr io::darray cards(io::list(io::constant<4096>, io::constant<4096>),
                           io::distribute::cyclic(io::constant<4>),
                           io::list(io::constant<8>, io::constant<8>), io::constant<9>,
                           io::type<double>, io::extend::fortran_order);
static_assert(cards.is_static && cards.form().size() == 4096 * 4096 / 64 * 8);
// Some numbers are fixed, some are not.
static_assert(!io::darray(io::list(io::constant<64>, 3), io::distribute::block,
                          io::list(io::constant<2>, 1), 1, io::type<int>)
                   .is_static);

}  // namespace

TEST_CASE("each rank's part is what the owner formula gives, in array order", "[darray]") {
  CAPTURE(argosy::test::seed());
  std::mt19937_64 random(argosy::test::seed());
  for (int round = 0; round < 1500; ++round) {
    problem const p = random_problem(random);
    CAPTURE(round, p.sizes, p.grid, p.order == io::order::c, p.element);
    std::int64_t const ranks = product(p.grid), whole = product(p.sizes) * p.element;
    std::vector<int> covered(static_cast<std::size_t>(whole));
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      io::darray const part(p.sizes, p.rules, p.grid, rank,
                            io::contiguous(p.element, io::type<char>), p.order);
      io::layout const form = part.form();
      list const found = bytes_of(form);
      if (found != owned(p, rank)) {
        CAPTURE(rank);
        FAIL("another part than the formula gives");
      }
      if (form.extent() != whole || form.lower_bound() != 0)
        FAIL("the extent is not the whole array");
      for (auto b : found) ++covered[static_cast<std::size_t>(b)];
    }
    if (!std::all_of(covered.begin(), covered.end(), [](int n) { return n == 1; }))
      FAIL("not a partition");
  }
}

TEST_CASE("the design's example compiles and means what it says", "[darray]") {
  std::size_t const nx = 10;
  int const ny = 6;
  long const nz = 5;
  io::process_grid const grid(12, 3);
  std::int64_t sum = 0;
  for (int rank = 0; rank < 12; ++rank) {
    io::darray<double, 3> const tile_of_rank({nx, ny, nz}, io::distribute::block, grid, rank);
    sum += tile_of_rank.form().size();
  }
  CHECK(sum == 10 * 6 * 5 * 8);
  io::darray<float, 2> const mixed({nx, ny}, {io::distribute::cyclic(4), io::distribute::none},
                                   {3, 1}, 2, io::order::fortran);
  CHECK(mixed.form().size() == 2 * 6 * 4);
  io::darray const same({10, 6},
                        io::distribute::each(io::distribute::cyclic(4), io::distribute::none),
                        io::process_grid(3, {3, 1}), 2, io::type<float>, io::order::fortran);
  CHECK(same.form() == mixed.form());
}

TEST_CASE("building costs the same for 10 blocks and for 10^12", "[darray]") {
  std::int64_t const n = std::int64_t{1} << 40;
  io::darray<char, 2> const large({n, std::int64_t{1} << 20}, io::distribute::cyclic(3),
                                  io::list(5, 7), 11);
  io::layout const form = large.form();
  CHECK(form.nodes().size() <= 12);
  CHECK(form.is_regular());
  CHECK(form.extent() == n << 20);
  CHECK(form.pieces() > std::int64_t{1} << 50);
  CHECK(form.is_monotonic());
  CHECK_FALSE(form.overlaps());
  io::darray<double, 3> const cube({1 << 19, 1 << 19, 1 << 18}, io::distribute::block,
                                   io::process_grid(4096, 3), 4095);
  CHECK(cube.form().size() == (std::int64_t{1} << 56) / 4096 * 8);
}

namespace {

// Compares the parts of all ranks with those of a darray whose numbers are known at run time.
// `fixed` and `now` make the part of a rank.
template <class Fixed, class Now>
int other_parts(int ranks, Fixed const& fixed, Now const& now) {
  int others = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    io::layout const a = fixed(rank).form(), b = now(rank).form();
    others += a == b && a.lower_bound() == b.lower_bound() && a.extent() == b.extent() ? 0 : 1;
  }
  return others;
}

}  // namespace

TEST_CASE("parts whose rank alone is known at run time come from a table of shapes", "[darray]") {
  using io::constant;
  using namespace io::distribute;
  constexpr auto sizes = io::list(constant<10>, constant<7>, constant<5>);
  constexpr auto grid = io::list(constant<4>, constant<3>, constant<1>);
  constexpr auto rules = each(block, cyclic(constant<2>), none);
  auto const now = [](int rank, io::order o) {
    return io::darray({10, 7, 5}, each(block, cyclic(2), none), io::list(4, 3, 1), rank,
                      io::type<double>, o);
  };
  auto const in_c = [&](int rank) {
    return io::darray(sizes, rules, grid, rank, io::type<double>);
  };
  using part = decltype(in_c(0));
  static_assert(part::has_shapes && !part::is_static &&
                !decltype(now(0, io::order::c))::has_shapes);
  static_assert(part::shapes::number == 4);  // 3 rows or 1, and 3 columns or 2
  CHECK(other_parts(12, in_c, [&](int rank) { return now(rank, io::order::c); }) == 0);
  CHECK(other_parts(
            12,
            [&](int rank) {
              return io::darray(sizes, rules, grid, rank, io::type<double>,
                                io::extend::fortran_order);
            },
            [&](int rank) { return now(rank, io::order::fortran); }) == 0);
  // Some ranks have nothing, and the extent of the elements is larger than their size.
  CHECK(other_parts(
            12,
            [](int rank) {
              return io::darray(io::list(constant<5>, constant<3>), block,
                                io::list(constant<4>, constant<3>), rank,
                                io::resized(io::type<int>, constant<0>, constant<12>));
            },
            [](int rank) {
              return io::darray({5, 3}, block, io::list(4, 3), rank,
                                io::resized(io::type<int>, 0, 12));
            }) == 0);
  CHECK_THROWS_WITH(in_c(12).form(), Catch::Contains("rank 12"));
  CHECK_THROWS_WITH(in_c(-1).shape(), Catch::Contains("rank -1"));
}

TEST_CASE("a grid that does not match says so", "[darray][error]") {
  auto const make = [](auto sizes, rule r, auto grid, int rank) {
    return io::darray(sizes, r, grid, rank, io::type<int>).form();
  };
  using Catch::Contains;
  CHECK_THROWS_WITH(make(io::list(8, 8), io::distribute::block, io::process_grid(4, 3), 0),
                    Contains("3 dimensions") && Contains("2"));
  CHECK_THROWS_WITH(make(io::list(8, 8), io::distribute::block, io::list(2, 2), 4),
                    Contains("rank 4") && Contains("4 processes"));
  CHECK_THROWS_WITH(make(io::list(8, 8), io::distribute::block, io::list(2, 2), -1),
                    Contains("rank -1"));
  CHECK_THROWS_WITH(make(io::list(8, 8), io::distribute::block(3), io::list(1, 2), 0),
                    Contains("block(3)") && Contains("block(8)"));
  CHECK_THROWS_WITH(make(io::list(8, 8), io::distribute::none, io::list(1, 2), 0),
                    Contains("distribution[1] is none"));
  CHECK_THROWS_WITH(make(io::list(8, -8), io::distribute::block, io::list(1, 2), 0),
                    Contains("size[1] is -8"));
  CHECK_THROWS_WITH(make(io::list(8, 8), io::distribute::block, io::list(1, 0), 0),
                    Contains("grid[1] is 0"));
  CHECK_THROWS_WITH(make(io::list(8, 8), io::distribute::cyclic(0), io::list(1, 2), 0),
                    Contains("the block size of dimension 0 is 0"));
  CHECK_THROWS_WITH(make(io::list(8, 8), io::distribute::block(-2), io::list(1, 2), 0),
                    Contains("the block size of dimension 0 is -2"));
  CHECK_THROWS_WITH(make(io::list(8, 8), io::distribute::cyclic(UINT64_MAX), io::list(1, 2), 0),
                    Contains("exceeds 2^63 - 1"));
  CHECK_THROWS_AS(make(list{8, 8}, io::distribute::block, list{2}, 0), io::invalid_layout);
}
