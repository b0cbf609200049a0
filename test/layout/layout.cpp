// The algebra of layouts: what folds, what joins, and what it costs.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <argosy/layout.hpp>
#include <argosy/layout/serialize.hpp>

#include "support/allocations.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"
#include "support/sparse_memory.hpp"

namespace io = argosy;
namespace test = argosy::test;
using io::at, io::bytes, io::concat, io::repeat, io::resized, io::table;

namespace {

// A wide row of 64 doubles in a plane of 64 rows in a cube of 64 planes.
constexpr io::layout cube(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  return repeat(nz, 64 * 64 * 8, repeat(ny, 64 * 8, repeat(nx, 8, bytes(8))));
}

// Compile-time flattening, seen by the compiler.
static_assert(cube(32, 16, 4) == repeat(4, 64 * 64 * 8, repeat(16, 64 * 8, bytes(32 * 8))));
static_assert(cube(32, 16, 4).nodes().size() == 3);                            // two repeats over one leaf
static_assert(cube(64, 16, 4) == repeat(4, 64 * 64 * 8, bytes(16 * 64 * 8)));  // full rows are one leaf
static_assert(cube(64, 64, 4) == bytes(4 * 64 * 64 * 8));                      // full planes, too
static_assert(cube(32, 64, 4) == repeat(4 * 64, 64 * 8, bytes(32 * 8)));       // matching strides fold
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
  CHECK_THROWS_WITH(repeat(-2, 8, bytes(8)),
                    Catch::Matchers::ContainsSubstring("repeat") && Catch::Matchers::ContainsSubstring("-2"));
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
  CHECK_THROWS_AS(repeat(3, huge, bytes(8)), io::invalid_layout);
  CHECK_THROWS_AS(at(huge, at(huge, bytes(8))), io::invalid_layout);
  CHECK_THROWS_AS(resized(bytes(8), huge, huge + 2), io::invalid_layout);
  std::vector<std::int64_t> const offsets{0, 8}, lengths{4};
  CHECK_THROWS_WITH(table(offsets, lengths), Catch::Matchers::ContainsSubstring("2 offsets but 1 lengths"));
}

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();

// Far from 0 or wide, but within the rule: normal forms are found as anywhere else.
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
  // What continues the pair modulo 2^64 does not continue it.
  io::layout const close = repeat(2, most / 2 + 2, bytes(1));
  CHECK(concat(close, at(7, bytes(1))).size() == 3);
  CHECK(repeat(2, -(most / 2 - 2), repeat(2, most / 2 - 2, bytes(1))).true_extent() == 2 * (most / 2 - 2) + 1);
  CHECK(concat(at(most - 9, bytes(4)), at(most - 4, bytes(4))) == at(most - 9, repeat(2, 5, bytes(4))));
  CHECK(concat(at(least, bytes(4)), at(least + 5, bytes(4))) == at(least, repeat(2, 5, bytes(4))));
  CHECK(repeat(most, 0, bytes(1)).size() == most);

  io::layout const edges = concat(at(-(most / 2), repeat(5, 3, bytes(1))), at(most / 2 - 20, repeat(5, 3, bytes(1))));
  CHECK(edges.bytes_before(least) == 0);
  CHECK(edges.bytes_before(0) == 5);
  CHECK(edges.bytes_before(most) == 10);
  CHECK(edges.bytes_within(-(most / 2) + 1, most / 2 - 19) == 5);
  CHECK_FALSE(edges.overlaps());
  CHECK(edges.is_monotonic());
  io::cursor c(edges, 7);
  CHECK(c.current() == io::piece{most / 2 - 14, 1});
  c.seek_offset(0);
  CHECK(c.position() == 5);
}

TEST_CASE("a layout of 2^63 bytes and more from end to end is refused", "[layout][limits][errors]") {
  using Catch::Matchers::ContainsSubstring;
  constexpr std::int64_t far = 6'000'000'000'000'000'000;
  auto const too_wide = ContainsSubstring("spans more than 2^63 - 1 bytes; check displacements, strides and bounds");
  CHECK_THROWS_WITH(concat(bytes(1), at(-far, bytes(1)), at(far, bytes(1))),
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

  auto const too_large = ContainsSubstring("a size or offset of this layout exceeds 2^63 - 1 bytes");
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
  scattered = {most - 7, least};  // continues modulo 2^64
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
      std::int64_t const near[] = {0, 0, most, least, most / 2, least / 2, most / 3, least / 3, most / 4, least / 4};
      std::int64_t const n = near[pick(0, 9)], step = pick(0, 9) == 0 ? pick(0, 1000) : pick(0, 12);
      return n > 0 || (n == 0 && pick(0, 3) > 0) ? n - (n == 0 ? -step : step) : n + (n == 0 ? -step : step);
    };
    std::int64_t const lengths[] = {1, 1, 2, 4, 8, most / 2, most / 3};
    try {
      std::vector<io::layout> known{bytes(lengths[pick(0, 6)])};
      for (std::int64_t n = pick(1, 5); n > 0; --n) {
        auto const any = [&] {
          return known[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(known.size()) - 1))];
        };
        switch (pick(0, 4)) {
          case 0:
            known.push_back(at(number(), any()));
            break;
          case 1:
            known.push_back(repeat(pick(0, 9) == 0 ? most / pick(1, 9) : pick(0, 4), number(), any()));
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
      if (l.pieces() < 1000) {  // copies that overlap are asked one by one
        if (l.bytes_before(where) < 0 || l.bytes_before(where) > l.size()) FAIL("bytes_before");
      }
      io::cursor c(l, position);
      for (int k = 0; k < 20 && !c.done(); ++k) {
        io::piece const p = c.current();
        if (p.offset < l.true_lower_bound() || p.end() > l.true_upper_bound()) FAIL("a piece outside of the bounds");
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
  // Numbers the compiler cannot know.
  std::int64_t volatile many = 1'000'000'000'000;
  std::int64_t volatile few = 7;
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
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = 40 + 24 * static_cast<std::int64_t>(i);
  CHECK(table(offsets, 8) == at(40, resized(repeat(1000, 24, bytes(8)), 0, 999 * 24 + 8)));
  CHECK(table(offsets, 24) == at(40, bytes(24'000)));
  CHECK(table(offsets, 8).is_regular());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] += static_cast<std::int64_t>(i * i % 13);
  io::layout const irregular = table(offsets, 8);
  CHECK(irregular.pieces() == 1000);
  CHECK_FALSE(irregular.is_regular());
  CHECK(irregular.nodes().size() == 1);

  io::layout const borrowed = io::detail::borrowed_table(offsets, 8);
  CHECK(borrowed == irregular);
  CHECK(borrowed.tables()[0].is_borrowed());
}

TEST_CASE("a table whose copies touch stays one of numbers", "[layout][table]") {
  // The last piece ends where the next copy begins: the form is rotated by a piece, and not taken apart.
  constexpr std::int64_t count = 1000, extent = 24 * count + 72, copies = 5;
  std::vector<std::int64_t> offsets(count);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = 24 * static_cast<std::int64_t>(i) + (i == 0 ? 0 : static_cast<std::int64_t>(i * i % 13));
  offsets.back() = extent - 8;
  io::layout const touching = repeat(copies, extent, resized(table(offsets, 8), 0, extent));
  CHECK(touching.pieces() == copies * (count - 1) + 1);
  CHECK(touching.nodes().size() <= 6);
  CHECK(touching.places().size() <= 4);

  std::int64_t position = 0;
  io::cursor walk(touching);
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
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i * i) * 9;
  io::layout const original = table(offsets, 8);
  io::layout const copy = original;
  CHECK(copy.tables()[0].shares(original.tables()[0]));
  CHECK_FALSE(original.tables()[0].shares(table(offsets, 8).tables()[0]));
}

namespace {

io::detail::piece_table table_of(std::vector<std::int64_t> const& offsets, std::vector<std::int64_t> const& lengths,
                                 std::int64_t length) {
  io::detail::compact_numbers o, l;
  o.start_at(offsets.at(0));
  for (std::int64_t const n : offsets) o.push_back(n);
  for (std::int64_t const n : lengths) l.push_back(n);
  return {std::move(o), std::move(l), length};
}

}  // namespace

TEST_CASE("tables are equal if all of their pieces are", "[layout][table]") {
  constexpr std::size_t count = 40;
  std::vector<std::int64_t> offsets, lengths;
  for (std::size_t i = 0; i < count; ++i) {
    auto const n = static_cast<std::int64_t>(i);
    offsets.push_back(20 * n + n * n % 13);
    lengths.push_back(1 + n * 7 % 5);
  }
  std::vector<std::int64_t> const same(count, 3);
  io::detail::piece_table const uneven = table_of(offsets, lengths, 0), even = table_of(offsets, {}, 3);
  auto const differs = [&](std::vector<std::int64_t> const& o, std::vector<std::int64_t> const& l) {
    std::vector<std::int64_t> const& was = l == same ? same : lengths;
    CHECK_FALSE(table(o, l) == table(offsets, was));
    CHECK_FALSE(table(offsets, was) == table(o, l));
    CHECK_FALSE(repeat(3, 1000, table(o, l)) == repeat(3, 1000, table(offsets, was)));
    io::detail::piece_table const other = table_of(o, l, 0);
    CHECK_FALSE(other == (l == same ? even : uneven));
    CHECK_FALSE((l == same ? even : uneven) == other);
  };
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(i, j);
      // Two lengths, two offsets, or two pieces exchanged: as many pieces and bytes, and the same bounds.
      std::vector<std::int64_t> o = offsets, l = lengths;
      std::swap(l[i], l[j]);
      if (l != lengths) differs(offsets, l);
      std::swap(o[i], o[j]);
      differs(o, l);
      differs(o, lengths);
      differs(o, same);
      // Two pieces nearer to each other by a byte.
      o = offsets;
      ++o[j], --o[i];
      differs(o, lengths);
      differs(o, same);
    }
  // One of them alone, also where it is neither the first nor the last by its place.
  for (std::size_t i = 0; i < count; ++i) {
    CAPTURE(i);
    std::vector<std::int64_t> o = offsets, l = lengths;
    ++o[i];
    differs(o, lengths);
    differs(o, same);
    ++l[i];
    differs(offsets, l);
    std::vector<std::int64_t> turned = offsets;
    std::rotate(turned.begin(), turned.begin() + 20, turned.end());
    o = turned;
    ++o[i];
    CHECK_FALSE(table(o, 3) == table(turned, 3));
    CHECK_FALSE(table_of(o, {}, 3) == table_of(turned, {}, 3));
  }
  // Lists that say the same in another way.
  CHECK(table_of(offsets, same, 0) == even);
  CHECK(even == table_of(offsets, same, 0));
  CHECK(io::detail::piece_table::borrow(offsets, 3) == even);
  CHECK(table_of(offsets, lengths, 0) == uneven);
  CHECK_FALSE(uneven == even);
  std::vector<std::int64_t> moved = offsets;
  for (std::int64_t& o : moved) o += 1000;
  CHECK(table_of(moved, {}, 3) == even);  // offsets count from the first
  CHECK_FALSE(table(moved, 3) == table(offsets, 3));
}

TEST_CASE("lists of numbers are kept in 4 bytes while they are near, and say the same in 8", "[layout][table]") {
  constexpr std::int64_t limit = std::int64_t{1} << 32;
  for (std::int64_t const base : {std::int64_t{0}, std::int64_t{-5}, most - 10, -most - 1})
    for (std::int64_t const beyond :
         {std::int64_t{0}, std::int64_t{7}, limit - 1, limit, limit + 1, std::int64_t{-1}}) {
      std::int64_t other = 0;
      if (__builtin_add_overflow(base, beyond, &other)) continue;
      CAPTURE(base, beyond);
      std::vector<std::int64_t> const wanted{base, other, base};
      io::detail::compact_numbers list;
      list.start_at(base);
      for (std::int64_t const n : wanted) list.push_back(n);
      CHECK(list.far().empty() == (beyond >= 0 && beyond < limit));
      CHECK(list.near().empty() != list.far().empty());
      io::detail::compact_numbers const from_smallest(wanted);
      CHECK(from_smallest.far().empty() == (beyond < limit));
      REQUIRE(list.size() == wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK(list[i] == wanted[i]);
        CHECK(from_smallest.at(i) == wanted[i]);
      }
      CHECK(list == from_smallest);
      list.push_back(base);
      CHECK_FALSE(list == from_smallest);
    }
  // Below the base, but so far that the distance wraps to a small one.
  io::detail::compact_numbers apart;
  apart.start_at(most - 4);
  for (std::int64_t const n : {most - 4, -most + 5}) apart.push_back(n);
  CHECK(apart.near().empty());
  CHECK(apart[0] == most - 4);
  CHECK(apart[1] == -most + 5);
  std::vector<std::int64_t> const both{most - 4, -most + 5};
  CHECK(apart == io::detail::compact_numbers(both));
  CHECK_THROWS_AS(io::detail::compact_numbers().at(0), std::out_of_range);
  CHECK(io::detail::compact_numbers(std::vector<int>{}).empty());
}

// Pieces at random, of which some lie far from the others, before the first, or are long: each against lists of 8 bytes.
TEST_CASE("tables of near and far pieces", "[layout][table]") {
  constexpr std::int64_t limit = std::int64_t{1} << 32;
  int const kind = GENERATE(range(0, 32));
  CAPTURE(kind, test::seed());
  test::engine random(test::seed() + static_cast<std::uint64_t>(kind));
  bool const far = (kind & 1) != 0, before = (kind & 2) != 0, uneven = (kind & 4) != 0, is_long = (kind & 8) != 0;
  std::vector<std::int64_t> offsets, lengths;
  std::int64_t at = test::pick(random, 0, 1000);
  for (int i = 0; i < 100; ++i) {
    std::int64_t const usual = uneven ? test::pick(random, 1, 9) : 3;
    std::int64_t const length = is_long && i == 60 ? limit + test::pick(random, -1, 1) : usual;
    offsets.push_back(before && i == 50 ? -1000 : at);
    lengths.push_back(length);
    at += length + test::pick(random, 1, 20) + (far && i == 30 ? limit : 0);
  }
  io::layout const l = table(offsets, lengths);
  REQUIRE(l.tables().size() == 1);
  io::detail::piece_table const& t = l.tables()[0];
  std::int64_t start = 0;
  io::cursor walk(l);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    CAPTURE(i);
    REQUIRE(t[i] == io::piece{offsets[i] - offsets[0], lengths[i]});
    REQUIRE(t.start(i) == start);
    REQUIRE(t.find(start) == i);
    REQUIRE(t.find(start + lengths[i] - 1) == i);
    REQUIRE(walk.current() == io::piece{offsets[i], lengths[i]});
    walk.advance(lengths[i]);
    start += lengths[i];
  }
  CHECK(walk.done());
  CHECK(l.size() == start);
  CHECK(io::deserialize(io::serialize(l)) == l);
  CHECK(t.equal_lengths() == (!uneven && !is_long));

  // Bytes of a range of the stream that has no long piece in it.
  std::size_t const first = static_cast<std::size_t>(test::pick(random, 0, 20)), last = is_long ? 60 : 100;
  std::int64_t const from = t.start(first) + 1, to = last == 100 ? start : t.start(last);
  std::vector<io::piece> pieces{{offsets[first] + 1, lengths[first] - 1}};
  for (std::size_t i = first + 1; i < last; ++i) pieces.push_back({offsets[i], lengths[i]});
  std::vector<std::byte> stream(static_cast<std::size_t>(to - from)), packed(stream.size());
  for (std::byte& b : stream) b = static_cast<std::byte>(test::pick(random, 0, 255));
  test::sparse_memory memory(l), wanted(l);
  REQUIRE((memory.good() && wanted.good()));
  io::unpack(l, stream.data(), from, to, memory.origin());
  CHECK(memory.read(pieces) == stream);
  wanted.write(pieces, stream.data());
  io::pack(l, wanted.origin(), from, to, packed.data());
  CHECK(packed == stream);
}
