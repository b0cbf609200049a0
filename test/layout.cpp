// The algebra of layouts: what folds, what joins, and what it costs.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <argosy/layout.hpp>

#include "support/allocations.hpp"

namespace io = argosy;
using io::at, io::bytes, io::concat, io::repeat, io::resized, io::table;

namespace {

// A wide row of 64 doubles in a plane of 64 rows in a cube of 64 planes.
constexpr io::layout cube(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  return repeat(nz, 64 * 64 * 8, repeat(ny, 64 * 8, repeat(nx, 8, bytes(8))));
}

// Compile-time flattening, seen by the compiler.
static_assert(cube(32, 16, 4) == repeat(4, 64 * 64 * 8, repeat(16, 64 * 8, bytes(32 * 8))));
static_assert(cube(32, 16, 4).nodes().size() == 3);                               // two repeats over one leaf
static_assert(cube(64, 16, 4) == repeat(4, 64 * 64 * 8, bytes(16 * 64 * 8)));    // full rows are one leaf
static_assert(cube(64, 64, 4) == bytes(4 * 64 * 64 * 8));                         // full planes, too
static_assert(cube(32, 64, 4) == repeat(4 * 64, 64 * 8, bytes(32 * 8)));          // matching strides fold
static_assert(repeat(1, 1000, bytes(8)) == bytes(8));
static_assert(repeat(0, 8, bytes(8)) == io::layout());
static_assert(concat(bytes(8), at(8, bytes(4)), at(12, bytes(4))) == bytes(16));
static_assert(concat(bytes(4), at(8, bytes(4)), at(16, bytes(4))) == repeat(3, 8, bytes(4)));
static_assert(concat(repeat(2, 8, bytes(4)), at(16, repeat(3, 8, bytes(4)))) == repeat(5, 8, bytes(4)));

// A member at the end of one record joins the member at the start of the next.
constexpr io::layout ends = resized(concat(bytes(8), at(12, bytes(4))), 0, 16);
static_assert(repeat(1000, 16, ends).pieces() == 1001);
static_assert(repeat(1000, 16, ends) ==
              resized(concat(bytes(8), at(12, repeat(999, 16, bytes(12))), at(999 * 16 + 12, bytes(4))), 0, 16000));

// Order matters: the same bytes, taken by columns, are another layout.
static_assert(repeat(4, 8, repeat(3, 32, bytes(8))) != repeat(3, 32, repeat(4, 8, bytes(8))));
static_assert(!repeat(4, 8, repeat(3, 32, bytes(8))).is_monotonic());
static_assert(!repeat(4, 8, repeat(3, 32, bytes(8))).overlaps());
static_assert(repeat(2, 4, bytes(8)).overlaps());

}  // namespace

TEST_CASE("sizes and bounds are those of MPI", "[layout]") {
  io::layout const l = resized(concat(at(8, bytes(4)), at(-4, bytes(2))), -16, 64);
  CHECK(l.size() == 6);
  CHECK(l.pieces() == 2);
  CHECK(l.lower_bound() == -16);
  CHECK(l.extent() == 64);
  CHECK(l.true_lower_bound() == -4);
  CHECK(l.true_extent() == 16);
  CHECK(l.density() == 0.375);
  CHECK_FALSE(l.is_monotonic());
  CHECK(repeat(3, 64, l).extent() == 3 * 64);
  CHECK(repeat(3, -64, l).lower_bound() == -16 - 128);
  CHECK(io::layout().extent() == 0);
  CHECK(io::layout().density() == 1.0);
}

TEST_CASE("wrong numbers are named", "[layout][errors]") {
  CHECK_THROWS_WITH(bytes(-1), Catch::Matchers::ContainsSubstring("bytes") && Catch::Matchers::ContainsSubstring("-1"));
  CHECK_THROWS_WITH(repeat(-2, 8, bytes(8)), Catch::Matchers::ContainsSubstring("repeat") && Catch::Matchers::ContainsSubstring("-2"));
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
  CHECK_THROWS_AS(repeat(3, huge, bytes(8)), io::invalid_layout);
  CHECK_THROWS_AS(at(huge, at(huge, bytes(8))), io::invalid_layout);
  CHECK_THROWS_AS(resized(bytes(8), huge, huge + 2), io::invalid_layout);
  std::vector<std::int64_t> const offsets{0, 8}, lengths{4};
  CHECK_THROWS_WITH(table(offsets, lengths), Catch::Matchers::ContainsSubstring("2 offsets but 1 lengths"));
}

TEST_CASE("regular layouts never touch the heap", "[layout][cost]") {
  // Numbers the compiler cannot know.
  volatile std::int64_t many = 1'000'000'000'000;
  volatile std::int64_t few = 7;
  io::allocation_count const before;
  io::layout const tile = repeat(few, 1 << 20, repeat(few, 1 << 10, bytes(few * 8)));
  io::layout const comb = repeat(many, 16, bytes(8));
  // Block-cyclic in five dimensions, each with a partial last block.
  io::layout cyclic = bytes(8);
  for (std::int64_t d = 0, stride = 8; d < 5; ++d, stride *= 64)
    cyclic = concat(repeat(few, 6 * stride, repeat(2, stride, cyclic)), at(few * 6 * stride, cyclic));
  io::layout copy = tile;
  copy = comb;
  bool const equal = copy == comb;
  io::cursor c(cyclic, cyclic.size() / 2);
  c.next();
  std::int64_t const before_middle = comb.bytes_before(many * 8);
  bool const overlaps = cyclic.overlaps();
  std::size_t const allocated = before.since();

  CHECK(allocated == 0);
  CHECK(equal);
  CHECK(cyclic.pieces() == 8LL * 15 * 15 * 15 * 15);
  CHECK(before_middle == many * 4);
  CHECK_FALSE(overlaps);
}

TEST_CASE("a layout of 10^12 pieces costs what one of 10 costs", "[layout][cost]") {
  auto const steps = [](std::int64_t pieces) {
    io::layout const l = repeat(pieces, 24, bytes(8));
    io::cursor c(l, l.size() / 2 + 3);
    CHECK(c.current() == io::piece{(pieces / 2) * 24 + 3, 5});
    c.seek_offset((pieces / 2) * 24 + 9);
    CHECK(c.current() == io::piece{(pieces / 2 + 1) * 24, 8});
    CHECK(l.bytes_within(24, 24 * (pieces - 1)) == 8 * (pieces - 2));
    CHECK(l == repeat(pieces / 2, 48, repeat(2, 24, bytes(8))));
    return l.nodes().size() + l.places().size() + l.tables().size();
  };
  CHECK(steps(10) == steps(1'000'000'000'000));
}

TEST_CASE("tables find the rule in a list, or keep it as numbers", "[layout][table]") {
  std::vector<std::int64_t> offsets(1000);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = 40 + 24 * static_cast<std::int64_t>(i);
  CHECK(table(offsets, 8) == at(40, resized(repeat(1000, 24, bytes(8)), 0, 999 * 24 + 8)));
  CHECK(table(offsets, 24) == at(40, bytes(24'000)));
  CHECK(table(offsets, 8).is_regular());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] += static_cast<std::int64_t>(i * i % 13);
  io::layout const irregular = table(offsets, 8);
  CHECK(irregular.pieces() == 1000);
  CHECK_FALSE(irregular.is_regular());
  CHECK(irregular.nodes().size() == 1);

  io::layout const borrowed = io::borrowed_table(offsets, 8);
  CHECK(borrowed == irregular);
  CHECK(borrowed.tables()[0].is_borrowed());
}

TEST_CASE("copies share their tables", "[layout][table]") {
  std::vector<std::int64_t> offsets(100);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i * i) * 9;
  io::layout const original = table(offsets, 8);
  io::layout const copy = original;
  CHECK(copy.tables()[0].offsets().data() == original.tables()[0].offsets().data());
}
