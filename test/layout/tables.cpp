// The tables of layouts: numbers in 4 or 8 bytes, and comparisons.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include <argosy/layout.hpp>
#include <argosy/layout/serialize.hpp>

#include "support/random.hpp"
#include "support/seed.hpp"
#include "support/sparse_memory.hpp"

namespace io = argosy;
namespace test = argosy::test;
using io::repeat, io::table;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

io::detail::piece_table table_of(std::vector<std::int64_t> const& offsets,
                                 std::vector<std::int64_t> const& lengths, std::int64_t length) {
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
  io::detail::piece_table const uneven = table_of(offsets, lengths, 0),
                                even = table_of(offsets, {}, 3);
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
      // Two lengths, two offsets, or two pieces are exchanged. The numbers of pieces and bytes, and
      // the bounds, stay equal.
      std::vector<std::int64_t> o = offsets, l = lengths;
      std::swap(l[i], l[j]);
      if (l != lengths) differs(offsets, l);
      std::swap(o[i], o[j]);
      differs(o, l);
      differs(o, lengths);
      differs(o, same);
      // Two pieces are nearer to each other by a byte.
      o = offsets;
      ++o[j], --o[i];
      differs(o, lengths);
      differs(o, same);
    }
  // One piece is changed, also where it is neither first nor last by its place.
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
  // Equal lists in another form.
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

TEST_CASE("lists of numbers are kept in 4 bytes while they are near, and say the same in 8",
          "[layout][table]") {
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

TEST_CASE("a list of numbers gives back the room that it does not need", "[layout][table]") {
  std::int64_t const last = GENERATE(std::int64_t{9}, std::int64_t{1} << 40);
  CAPTURE(last);
  io::detail::compact_numbers list;
  list.start_at(0);
  list.reserve(1000);
  for (std::int64_t n = 0; n < 9; ++n) list.push_back(n);
  list.push_back(last);
  REQUIRE(list.capacity() >= 1000);
  list.shrink();
  CHECK(list.capacity() <= 11);
  REQUIRE(list.size() == 10);
  CHECK(list[9] == last);
}

// Random pieces, of which some lie far from the others, lie before the first, or are long. Each
// table is compared with lists of 8 bytes.
TEST_CASE("tables of near and far pieces", "[layout][table]") {
  constexpr std::int64_t limit = std::int64_t{1} << 32;
  int const kind = GENERATE(range(0, 32));
  CAPTURE(kind, test::seed());
  test::engine random(test::seed() + static_cast<std::uint64_t>(kind));
  bool const far = (kind & 1) != 0, before = (kind & 2) != 0, uneven = (kind & 4) != 0,
             is_long = (kind & 8) != 0;
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
  io::extend::cursor walk(l);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    CAPTURE(i);
    REQUIRE(t[i] == io::extend::piece{offsets[i] - offsets[0], lengths[i]});
    REQUIRE(t.start(i) == start);
    REQUIRE(t.find(start) == i);
    REQUIRE(t.find(start + lengths[i] - 1) == i);
    REQUIRE(walk.current() == io::extend::piece{offsets[i], lengths[i]});
    walk.advance(lengths[i]);
    start += lengths[i];
  }
  CHECK(walk.done());
  CHECK(l.size() == start);
  CHECK(io::deserialize(io::serialize(l)) == l);
  CHECK(t.equal_lengths() == (!uneven && !is_long));

  // A range of the stream that has no long piece in it.
  std::size_t const first = static_cast<std::size_t>(test::pick(random, 0, 20)),
                    last = is_long ? 60 : 100;
  std::int64_t const from = t.start(first) + 1, to = last == 100 ? start : t.start(last);
  std::vector<io::extend::piece> pieces{{offsets[first] + 1, lengths[first] - 1}};
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
