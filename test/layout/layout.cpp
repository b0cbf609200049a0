// The algebra of layouts: which forms fold or join, and the cost.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <argosy/layout.hpp>

#include "support/allocations.hpp"
#include "support/seed.hpp"

namespace io = argosy;
namespace test = argosy::test;
using io::at, io::bytes, io::concat, io::repeat, io::resized, io::table;

namespace {

// Returns a box of nx x ny x nz doubles in a cube of 64 x 64 x 64.
constexpr io::layout cube(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  return repeat(nz, 64 * 64 * 8, repeat(ny, 64 * 8, repeat(nx, 8, bytes(8))));
}

// Flattening at compile time.
static_assert(cube(32, 16, 4) == repeat(4, 64 * 64 * 8, repeat(16, 64 * 8, bytes(32 * 8))));
// two repeats over one leaf
static_assert(cube(32, 16, 4).nodes().size() == 3);
// full rows are one leaf
static_assert(cube(64, 16, 4) == repeat(4, 64 * 64 * 8, bytes(16 * 64 * 8)));
static_assert(cube(64, 64, 4) == bytes(4 * 64 * 64 * 8));  // full planes, too
// matching strides fold
static_assert(cube(32, 64, 4) == repeat(4 * 64, 64 * 8, bytes(32 * 8)));
static_assert(repeat(1, 1000, bytes(8)) == bytes(8));
static_assert(repeat(0, 8, bytes(8)) == io::layout());
static_assert(concat(bytes(8), at(8, bytes(4)), at(12, bytes(4))) == bytes(16));
static_assert(concat(bytes(4), at(8, bytes(4)), at(16, bytes(4))) == repeat(3, 8, bytes(4)));
static_assert(concat(repeat(2, 8, bytes(4)), at(16, repeat(3, 8, bytes(4)))) ==
              repeat(5, 8, bytes(4)));

// A member at the end of one record joins the member at the start of the next.
constexpr io::layout ends = resized(concat(bytes(8), at(12, bytes(4))), 0, 16);
static_assert(repeat(1000, 16, ends).pieces() == 1001);
static_assert(repeat(1000, 16, ends) == resized(concat(bytes(8), at(12, repeat(999, 16, bytes(12))),
                                                       at(999 * 16 + 12, bytes(4))),
                                                0, 16000));

// The order matters: the same bytes by columns are another layout.
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
  CHECK_THROWS_WITH(bytes(-1), Catch::Matchers::ContainsSubstring("bytes") &&
                                   Catch::Matchers::ContainsSubstring("-1"));
  CHECK_THROWS_WITH(repeat(-2, 8, bytes(8)), Catch::Matchers::ContainsSubstring("repeat") &&
                                                 Catch::Matchers::ContainsSubstring("-2"));
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
  CHECK_THROWS_AS(repeat(3, huge, bytes(8)), io::invalid_layout);
  CHECK_THROWS_AS(at(huge, at(huge, bytes(8))), io::invalid_layout);
  CHECK_THROWS_AS(resized(bytes(8), huge, huge + 2), io::invalid_layout);
  std::vector<std::int64_t> const offsets{0, 8}, lengths{4};
  CHECK_THROWS_WITH(table(offsets, lengths),
                    Catch::Matchers::ContainsSubstring("2 offsets but 1 lengths"));
}

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();

// Far from 0 or wide, but within the limits: normal forms must be found as anywhere else.
static_assert(concat(at(-(most / 2), bytes(1)), at(most / 2, bytes(1))).true_extent() == most);
static_assert(repeat(2, most - 1, bytes(1)).true_extent() == most);
static_assert(at(most - 24, concat(bytes(4), at(8, bytes(4)), at(16, bytes(4)))) ==
              at(most - 24, repeat(3, 8, bytes(4))));
static_assert(at(least, repeat(2, -8, at(8, bytes(8)))).lower_bound() == least);
static_assert(resized(bytes(8), 0, most).upper_bound() == most);

}  // namespace

TEST_CASE("the next copy may lie beyond 2^63 where it is only asked for", "[layout][limits]") {
  constexpr std::int64_t wide = 6'000'000'000'000'000'000;
  io::layout const pair = repeat(2, wide, bytes(1));
  CHECK(repeat(2, 10, pair).size() == 4);
  CHECK(concat(pair, at(7, bytes(1))).pieces() == 3);
  CHECK(repeat(3, 10, pair) == concat(pair, at(10, pair), at(20, pair)));
  // A piece that continues the pair only modulo 2^64 must not join it.
  io::layout const close = repeat(2, most / 2 + 2, bytes(1));
  CHECK(concat(close, at(7, bytes(1))).size() == 3);
  CHECK(repeat(2, -(most / 2 - 2), repeat(2, most / 2 - 2, bytes(1))).true_extent() ==
        2 * (most / 2 - 2) + 1);
  CHECK(concat(at(most - 9, bytes(4)), at(most - 4, bytes(4))) ==
        at(most - 9, repeat(2, 5, bytes(4))));
  CHECK(concat(at(least, bytes(4)), at(least + 5, bytes(4))) == at(least, repeat(2, 5, bytes(4))));
  CHECK(repeat(most, 0, bytes(1)).size() == most);

  io::layout const edges =
      concat(at(-(most / 2), repeat(5, 3, bytes(1))), at(most / 2 - 20, repeat(5, 3, bytes(1))));
  CHECK(edges.bytes_before(least) == 0);
  CHECK(edges.bytes_before(0) == 5);
  CHECK(edges.bytes_before(most) == 10);
  CHECK(edges.bytes_within(-(most / 2) + 1, most / 2 - 19) == 5);
  CHECK_FALSE(edges.overlaps());
  CHECK(edges.is_monotonic());
  io::extend::cursor c(edges, 7);
  CHECK(c.current() == io::extend::piece{most / 2 - 14, 1});
  c.seek_offset(0);
  CHECK(c.position() == 5);
}

TEST_CASE("a layout of 2^63 bytes and more from end to end is refused",
          "[layout][limits][errors]") {
  using Catch::Matchers::ContainsSubstring;
  constexpr std::int64_t far = 6'000'000'000'000'000'000;
  auto const too_wide =
      ContainsSubstring("spans more than 2^63 - 1 bytes; check displacements, strides and bounds");
  CHECK_THROWS_WITH(
      concat(bytes(1), at(-far, bytes(1)), at(far, bytes(1))),
      too_wide && ContainsSubstring("from -6000000000000000000 to 6000000000000000001"));
  CHECK_THROWS_WITH(concat(at(-(most / 2), bytes(1)), at(most / 2 + 1, bytes(1))), too_wide);
  CHECK_THROWS_WITH(repeat(2, -far, at(far / 2, bytes(far / 2 + far / 10))), too_wide);
  CHECK_THROWS_WITH(repeat(2, far, at(-far, repeat(2, far / 2, bytes(far / 4)))), too_wide);
  CHECK_THROWS_WITH(repeat(2, least, at(1, bytes(1))), too_wide);
  CHECK_THROWS_WITH(resized(at(-far, bytes(1)), far, 8), too_wide);
  CHECK_THROWS_WITH(resized(at(far, bytes(1)), -far, 8), too_wide);
  CHECK_THROWS_WITH(resized(at(far, bytes(8)), far / 2, -9 * (far / 6)), too_wide);
  CHECK_THROWS_WITH(concat(resized(io::layout(), -far, 8), at(far, bytes(1))), too_wide);
  CHECK_THROWS_WITH(repeat(2, far, resized(io::layout(), -far, far)), too_wide);

  auto const too_large =
      ContainsSubstring("a size or offset of this layout exceeds 2^63 - 1 bytes");
  CHECK_THROWS_WITH(at(most, bytes(1)), too_large);
  CHECK_THROWS_WITH(repeat(2, most, bytes(1)), too_large);
  CHECK_THROWS_WITH(repeat(2, 0, bytes(most)), too_large);
  CHECK_THROWS_WITH(concat(repeat(most, 0, bytes(1)), repeat(most, 0, bytes(1))), too_large);
  CHECK_THROWS_WITH(repeat(most, 1, concat(bytes(1), at(8, bytes(1)))), too_large);

  std::vector<std::int64_t> scattered{0, -far, far};
  CHECK_THROWS_WITH(table(scattered, 1), too_wide);
  for (std::int64_t i = 0; i < 40; ++i) scattered.push_back(i * i * 7);
  CHECK_THROWS_WITH(table(scattered, 1), too_wide);
  CHECK_THROWS_AS(io::detail::borrowed_table(scattered, 1), io::invalid_layout);
  scattered = {most - 7, least};  // continues only modulo 2^64
  CHECK_THROWS_AS(table(scattered, 8), io::invalid_layout);
  for (std::int64_t i = 0; i < 40; ++i) scattered.push_back(i * i * 7);
  CHECK_THROWS_AS(io::detail::borrowed_table(scattered, 8), io::invalid_layout);
}

TEST_CASE("numbers near the limits give a layout or an error", "[layout][limits][random]") {
  std::uint64_t const first = test::seed();
  std::size_t made = 0, refused = 0;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    CAPTURE(first + i);
    std::mt19937_64 random(first + i);
    auto const pick = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    // 0, +-2^63, +-2^62, +-2^63 / 3 and their neighbours.
    auto const number = [&] {
      std::int64_t const near[] = {0,         0,        most,      least,    most / 2,
                                   least / 2, most / 3, least / 3, most / 4, least / 4};
      std::int64_t const n = near[pick(0, 9)], step = pick(0, 9) == 0 ? pick(0, 1000) : pick(0, 12);
      return n > 0 || (n == 0 && pick(0, 3) > 0) ? n - (n == 0 ? -step : step)
                                                 : n + (n == 0 ? -step : step);
    };
    std::int64_t const lengths[] = {1, 1, 2, 4, 8, most / 2, most / 3};
    try {
      std::vector<io::layout> known{bytes(lengths[pick(0, 6)])};
      for (std::int64_t n = pick(1, 5); n > 0; --n) {
        auto const any = [&] {
          return known[static_cast<std::size_t>(
              pick(0, static_cast<std::int64_t>(known.size()) - 1))];
        };
        switch (pick(0, 4)) {
          case 0:
            known.push_back(at(number(), any()));
            break;
          case 1:
            known.push_back(
                repeat(pick(0, 9) == 0 ? most / pick(1, 9) : pick(0, 4), number(), any()));
            break;
          case 2:
            known.push_back(concat(any(), at(number(), any()), at(number(), any())));
            break;
          case 3:
            known.push_back(resized(any(), number(), number()));
            break;
          default: {
            std::vector<std::int64_t> offsets;
            for (std::int64_t k = pick(1, 24); k > 0; --k) offsets.push_back(number());
            known.push_back(table(offsets, lengths[pick(0, 4)]));
          }
        }
      }
      ++made;
      io::layout const& l = known.back();
      CHECK(l.bytes_before(l.true_upper_bound()) == l.size());
      std::int64_t const where = number(), position = pick(0, l.size());
      if (l.pieces() < 1000) {  // overlapping copies are checked one by one
        if (l.bytes_before(where) < 0 || l.bytes_before(where) > l.size()) FAIL("bytes_before");
      }
      io::extend::cursor c(l, position);
      for (int k = 0; k < 20 && !c.done(); ++k) {
        io::extend::piece const p = c.current();
        if (p.offset < l.true_lower_bound() || p.end() > l.true_upper_bound())
          FAIL("a piece outside of the bounds");
        c.next();
      }
      l.is_monotonic();
      if (!(at(0, l) == l)) FAIL("not itself");
    } catch (io::invalid_layout const&) {
      ++refused;
    }
  }
  CHECK(made > 5'000);
  CHECK(refused > 5'000);
}

TEST_CASE("regular layouts never touch the heap", "[layout][cost]") {
  // Numbers that the compiler cannot know.
  std::int64_t volatile many = 1'000'000'000'000;
  std::int64_t volatile few = 7;
  io::allocation_count const before;
  io::layout const tile = repeat(few, 1 << 20, repeat(few, 1 << 10, bytes(few * 8)));
  io::layout const comb = repeat(many, 16, bytes(8));
  // Block-cyclic in five dimensions, each with a partial last block.
  io::layout cyclic = bytes(8);
  for (std::int64_t d = 0, stride = 8; d < 5; ++d, stride *= 64)
    cyclic =
        concat(repeat(few, 6 * stride, repeat(2, stride, cyclic)), at(few * 6 * stride, cyclic));
  io::layout copy = tile;
  copy = comb;
  bool const equal = copy == comb;
  io::extend::cursor c(cyclic, cyclic.size() / 2);
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
    io::extend::cursor c(l, l.size() / 2 + 3);
    CHECK(c.current() == io::extend::piece{(pieces / 2) * 24 + 3, 5});
    c.seek_offset((pieces / 2) * 24 + 9);
    CHECK(c.current() == io::extend::piece{(pieces / 2 + 1) * 24, 8});
    CHECK(l.bytes_within(24, 24 * (pieces - 1)) == 8 * (pieces - 2));
    CHECK(l == repeat(pieces / 2, 48, repeat(2, 24, bytes(8))));
    return l.nodes().size() + l.places().size() + l.tables().size();
  };
  CHECK(steps(10) == steps(1'000'000'000'000));
}

TEST_CASE("copies of a long repeat are one repeat, without a list of it", "[layout][cost]") {
  constexpr std::int64_t many = 1'000'000'000'000;
  io::layout const comb = repeat(many, 16, bytes(4));
  io::allocation_count const before;
  io::layout const three = concat(comb, at(4 * many * 16, comb), at(8 * many * 16, comb));
  CHECK(before.since() == 0);
  CHECK(three == repeat(3, 4 * many * 16, comb));
  CHECK(three.nodes().size() == 3);
}

TEST_CASE("tables find the rule in a list, or keep it as numbers", "[layout][table]") {
  std::vector<std::int64_t> offsets(1000);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = 40 + 24 * static_cast<std::int64_t>(i);
  CHECK(table(offsets, 8) == at(40, resized(repeat(1000, 24, bytes(8)), 0, 999 * 24 + 8)));
  CHECK(table(offsets, 24) == at(40, bytes(24'000)));
  CHECK(table(offsets, 8).is_regular());
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] += static_cast<std::int64_t>(i * i % 13);
  io::layout const irregular = table(offsets, 8);
  CHECK(irregular.pieces() == 1000);
  CHECK_FALSE(irregular.is_regular());
  CHECK(irregular.nodes().size() == 1);

  io::layout const borrowed = io::detail::borrowed_table(offsets, 8);
  CHECK(borrowed == irregular);
  CHECK(borrowed.tables()[0].is_borrowed());
}

TEST_CASE("a table whose copies touch stays one of numbers", "[layout][table]") {
  // The last piece ends where the next copy begins. The form must be rotated by a piece, and not
  // taken apart.
  constexpr std::int64_t count = 1000, extent = 24 * count + 72, copies = 5;
  std::vector<std::int64_t> offsets(count);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] =
        24 * static_cast<std::int64_t>(i) + (i == 0 ? 0 : static_cast<std::int64_t>(i * i % 13));
  offsets.back() = extent - 8;
  io::layout const touching = repeat(copies, extent, resized(table(offsets, 8), 0, extent));
  CHECK(touching.pieces() == copies * (count - 1) + 1);
  CHECK(touching.nodes().size() <= 6);
  CHECK(touching.places().size() <= 4);

  std::int64_t position = 0;
  io::extend::cursor walk(touching);
  for (std::int64_t copy = 0; copy < copies; ++copy)
    for (std::int64_t const offset : offsets) {
      REQUIRE(walk.current().offset == copy * extent + offset);
      REQUIRE(touching.bytes_before(copy * extent + offset) == position);
      walk.advance(8);
      position += 8;
    }
  CHECK(walk.done());
  CHECK(at(-extent, touching) == repeat(copies, extent, at(-extent, table(offsets, 8))));
}

TEST_CASE("copies share their tables", "[layout][table]") {
  std::vector<std::int64_t> offsets(100);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = static_cast<std::int64_t>(i * i) * 9;
  io::layout const original = table(offsets, 8);
  io::layout const copy = original;
  CHECK(copy.tables()[0].shares(original.tables()[0]));
  CHECK_FALSE(original.tables()[0].shares(table(offsets, 8).tables()[0]));
}
