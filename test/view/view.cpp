// Views, compared with a walk over their etypes, and with MPI's text about the end of the file.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/layout.hpp>
#include <argosy/view/view.hpp>

#include "support/allocations.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using Catch::Contains;

namespace {

using list = std::vector<std::int64_t>;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// Returns the first byte of each of the first `count` etypes, by walking tile after tile.
list starts(io::view const& v, std::size_t count) {
  list result;
  for (std::int64_t tile = 0; result.size() < count; ++tile)
    for (std::int64_t at = 0; at < v.filetype().size() && result.size() < count;
         at += v.etype_size())
      result.push_back(v.displacement() + tile * v.filetype().extent() +
                       io::extend::cursor(v.filetype(), at).current().offset);
  return result;
}

bool agrees(io::view const& v) {
  list const expected = starts(v, 60);
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (v.byte_offset(static_cast<std::int64_t>(k)) != expected[k]) return false;
  for (std::int64_t end = 0; end <= expected.back(); ++end) {
    std::int64_t k = 0;
    while (expected[static_cast<std::size_t>(k)] < end) ++k;
    if (v.offset_of_end(end) != k) return false;
  }
  return true;
}

io::view tile_of(std::int64_t rows) {
  return {512, io::type<double>, io::vector(rows, 1, 2, io::type<double>)};
}

// Returns the seconds that one query of each kind takes, at best.
double cost(io::view const& v, std::int64_t scale) {
  double best = 1;
  std::int64_t sum = 0;
  for (int round = 0; round < 20; ++round) {
    auto const start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < 200; ++i) {
      sum += v.byte_offset(i * scale / 200).value();
      sum += v.offset_of_end(i * scale / 25);
    }
    best = std::min(
        best,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 200);
  }
  CHECK(sum > 0);
  return best;
}

}  // namespace

TEST_CASE("the default view is the file's bytes", "[view]") {
  io::view const v;
  CHECK(v.displacement() == 0);
  CHECK(v.etype() == io::bytes(1));
  CHECK(v.filetype() == io::bytes(1));
  CHECK(v.representation() == io::native);
  CHECK(v.byte_offset(12345) == 12345);
  CHECK(v.offset_of_end(12345) == 12345);
  CHECK(v.position(7) == 7);
  CHECK(v.stream().is_contiguous());
}

TEST_CASE("byte offsets and the end of the file are those of a walk over the etypes", "[view]") {
  CAPTURE(argosy::test::seed());
  std::mt19937_64 random(argosy::test::seed());
  auto const pick = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution(from, to)(random);
  };
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    io::layout const etype =
        pick(0, 2) == 0 ? io::layout(io::bytes(pick(1, 6)))
                        : io::resized(io::concat(io::bytes(2), io::at(5, io::bytes(pick(1, 3)))), 0,
                                      pick(8, 11));
    list lengths, places;
    std::int64_t at = pick(0, 3);
    for (auto n = pick(1, 6); n > 0; --n) {
      lengths.push_back(pick(1, 3));
      places.push_back(at);
      at += lengths.back() + pick(0, 4);
    }
    io::layout const blocks = io::indexed(lengths, places, etype).form();
    io::layout const filetype = io::resized(blocks, 0, (at + pick(0, 3)) * etype.extent());
    io::view const v(pick(0, 40), etype, filetype);
    if (!agrees(v)) FAIL("another offset");
  }
}

TEST_CASE("an etype that the end of the file cuts lies before it", "[view]") {
  // Etypes at 10, 14, 26, 30, 42, 46, then the next tile.
  io::view const v(10, io::vector(3, 2, 4, io::type<int>));
  CHECK(v.etype_size() == 4);
  CHECK(v.offset_of_end(0) == 0);
  CHECK(v.offset_of_end(10) == 0);
  CHECK(v.offset_of_end(11) == 1);
  CHECK(v.offset_of_end(14) == 1);
  CHECK(v.offset_of_end(20) == 2);
  CHECK(v.offset_of_end(26) == 2);
  CHECK(v.offset_of_end(27) == 3);
  CHECK(v.byte_offset(2) == 26);
  CHECK(v.byte_offset(6) == 50);
}

TEST_CASE("a view for reading may name bytes twice", "[view]") {
  io::view const v(0, io::type<double>, io::indexed({2, 2}, {0, 1}, io::type<double>));
  CHECK(agrees(v));
  CHECK(v.fault(false) == io::detail::filetype_fault::no_fault);
  CHECK(v.fault(true) == io::detail::filetype_fault::overlap);
  CHECK_THROWS_WITH(v.require_writable(), Contains("names a byte twice"));
}

TEST_CASE("the etype is what the filetype is built of; one that does not divide it must be given",
          "[view]") {
  io::process_grid const grid(4, 2);
  CHECK(io::view(0, io::darray<float, 2>({8, 8}, io::distribute::block, grid, 1)).etype() ==
        io::bytes(4));
  CHECK(io::view(0, io::vector(3, 1, 2, io::contiguous(3, io::type<double>))).etype() ==
        io::bytes(8));
  CHECK(io::view(0, io::resized(io::type<float>, 0, 16)).etype() == io::bytes(4));
  // Offsets would silently count bytes, so both must be given.
  io::darray<double, 1> const tile({10}, io::distribute::block, io::process_grid(1, 1), 0);
  CHECK_THROWS_WITH(io::view(0, io::resized(tile, 0, 84)).etype(),
                    Contains("{io::bytes(1), filetype}"));
  CHECK(io::view(0, io::bytes(1), io::resized(tile, 0, 84)).etype() == io::bytes(1));
  io::view const lenient = io::view(0, io::resized(tile, 0, 84)).lenient();
  CHECK(lenient.etype() == io::bytes(8));
  CHECK(lenient.byte_offset(10) == 84);
  // One element of a record is the element with its place: a header of 16 bytes in steps of 76.
  auto const header = io::resized(io::type<double[2]>, 0, 76);
  CHECK(io::view(0, header).byte_offset(2) == 152);
  CHECK(io::view(0, header).etype_size() == 16);
  CHECK(io::view(0, io::contiguous(3, header)).byte_offset(2) == 152);
  io::record const pair(io::member(0, io::type<double>), io::member(8, io::type<int>));
  CHECK(io::view(0, io::contiguous(5, pair)).etype_size() == 12);
  CHECK(io::view(0, io::contiguous(5, pair)).etype_types() == io::detail::signature_of(pair));
}

TEST_CASE("in external32 a view lies as the external sizes make it", "[view][external32]") {
  io::vector const type(3, 2, 4, io::type<long>);
  io::view const here(16, type), there(16, type, io::external32);
  CHECK(here.etype_size() == static_cast<std::int64_t>(sizeof(long)));
  CHECK(there.etype_size() == 4);
  CHECK(there.byte_offset(2) == 16 + 4 * 4);
  CHECK(there.filetype().extent() == 10 * 4);
  CHECK(here != there);
  CHECK(there == io::view(16, io::type<long>, type, io::external32));
  // Displacements in bytes are used as they are.
  CHECK(io::view(0, io::hvector(2, 1, 24, io::type<long>), io::external32).byte_offset(1) == 24);
  // `internal` converts nothing.
  CHECK(io::view(16, type, io::internal).filetype() == here.filetype());
}

TEST_CASE("what lies beyond 2^63 has no answer", "[view][error]") {
  io::view const v(100, io::vector(3, 2, 4, io::type<double>));
  CHECK_FALSE(v.position(-1));
  CHECK_FALSE(v.position(most));
  CHECK_FALSE(v.position(most / 8 + 1));
  CHECK_FALSE(v.byte_offset(most / 8));
  CHECK(v.byte_offset(most / 32).value() > 0);
  CHECK(v.position(most / 32) == most / 32 * 8);
  CHECK(v.stream().true_upper_bound() > 0);
  // The longest tiles, and views that begin as late as possible.
  io::view const wide(0, io::resized(io::type<double>, 0, std::int64_t{1} << 62));
  CHECK(wide.byte_offset(0) == 0);
  CHECK(wide.byte_offset(1) == std::int64_t{1} << 62);
  CHECK_FALSE(wide.byte_offset(2));
  io::view const late(most - 1, io::type<std::byte>);
  CHECK(late.byte_offset(0) == most - 1);
  CHECK_FALSE(late.byte_offset(1));
  CHECK_THROWS_AS(io::view(most, io::type<double>).stream(), io::invalid_layout);
  CHECK_THROWS_WITH(io::view(-8, io::type<double>).stream(), Contains("displacement is -8"));
  CHECK_THROWS_WITH(io::view(0, io::bytes(8), io::bytes(4)).stream(), Contains("does not divide"));
  CHECK_THROWS_WITH(io::view(0, io::hindexed({1}, {-8}, io::type<double>)).stream(),
                    Contains("negative displacement"));
}

TEST_CASE("the last copies of a filetype whose bytes are below 2^63 are places of the view",
          "[view]") {
  // The oracle counts in 128 bits. Byte i of the stream lies where its copy and its piece say.
  __extension__ typedef __int128 wide;
  struct shape {
    std::vector<std::int64_t> offsets;  // in ints
    std::int64_t lower;
  };
  std::vector<shape> const shapes{{{0}, 0}, {{0}, -64},      {{8}, 0},
                                  {{8}, 4}, {{0, 4, 20}, 0}, {{12, 40}, 8}};
  int at_the_end = 0;
  for (shape const& s : shapes)
    for (int const bits : {16, 40, 59, 60, 61, 62})
      for (std::int64_t const less : {0, 4, 8, 1000})
        for (std::int64_t const displacement :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{12345}, std::int64_t{1} << 61,
              std::int64_t{1} << 62, most - 100, most - 24}) {
          std::int64_t const extent = (std::int64_t{1} << bits) - less;
          std::vector<std::int64_t> const lengths(s.offsets.size(), 1);
          auto const filetype = io::resized(
              io::hindexed(lengths, s.offsets, io::type<std::int32_t>), s.lower, extent);
          std::int64_t const last = s.offsets.back() + 4,
                             items = static_cast<std::int64_t>(s.offsets.size());
          CAPTURE(bits, less, displacement, s.lower, s.offsets.size());
          if (wide{displacement} + last > most) {
            CHECK_THROWS_AS(io::view(displacement, io::type<std::int32_t>, filetype).stream(),
                            io::invalid_layout);
            continue;
          }
          io::view const v(displacement, io::type<std::int32_t>, filetype);
          wide const copies = (wide{most} - displacement - last) / extent + 1;
          auto const etypes = static_cast<std::int64_t>(copies) * items;
          auto const place = [&](std::int64_t e) {
            return wide{displacement} + wide{e / items} * extent +
                   s.offsets[static_cast<std::size_t>(e % items)];
          };
          for (std::int64_t const e :
               {std::int64_t{0}, etypes / 2, etypes - 1 - items, etypes - 2, etypes - 1})
            if (e >= 0) CHECK(v.byte_offset(e) == static_cast<std::int64_t>(place(e)));
          CHECK_FALSE(v.byte_offset(etypes));
          CHECK(v.position(etypes) == 4 * etypes);
          CHECK_FALSE(v.position(etypes + 1));
          CHECK(v.offset_of_end(most) == etypes);
          CHECK(v.offset_of_end(static_cast<std::int64_t>(place(etypes - 1))) == etypes - 1);
          // Walks the last bytes.
          std::int64_t walked = 0;
          for (io::extend::cursor c(v.stream(), 4 * std::max<std::int64_t>(0, etypes - 5));
               !c.done(); c.next())
            walked += c.current().length;
          CHECK(walked == 4 * std::min<std::int64_t>(5, etypes));
          ++at_the_end;
        }
  CHECK(at_the_end > 300);
}

TEST_CASE("a table of many pieces is whole in the last of its copies", "[view]") {
  // 5000 pieces, of which the last one joins the first of the next copy.
  std::vector<std::int64_t> places, lengths;
  for (std::int64_t i = 0; i < 5000; ++i) {
    places.push_back(3 * i + i % 2);
    lengths.push_back(1);
  }
  std::int64_t const extent = places.back() + 1;
  io::view const v(0, io::bytes(1),
                   io::resized(io::hindexed(lengths, places, io::bytes(1)), 0, extent));
  CHECK(v.byte_offset(std::int64_t{5000} * 1000000 + 4999) == 1000000 * extent + places.back());
  for (std::int64_t const copies : {2, 3, 1000})
    CHECK(io::view(most - copies * extent, io::bytes(1), v.filetype())
              .byte_offset(copies * 5000 - 1) == most - 1);
  io::view const late(most - 3 * extent, io::bytes(1), v.filetype());
  CHECK(late.byte_offset(3 * 5000 - 1) == most - 1);
  CHECK_FALSE(late.byte_offset(3 * 5000));
}

TEST_CASE("a view without bytes has its displacement, and its end there", "[view]") {
  io::view const v(24, io::type<double>, io::contiguous(0, io::type<double>));
  CHECK(v.stream().empty());
  CHECK(v.byte_offset(0) == 24);
  CHECK_FALSE(v.byte_offset(1));
  CHECK(v.offset_of_end(1000) == 0);
}

TEST_CASE("etype offsets and stream positions", "[view]") {
  io::view const v(0, io::type<double>, io::contiguous(3, io::type<double>));
  CHECK(v.position(5) == 40);
  CHECK(v.is_whole(40));
  CHECK_FALSE(v.is_whole(41));
}

TEST_CASE("views are values", "[view]") {
  io::view a(8, io::vector(3, 2, 4, io::type<int>)), b = a;
  CHECK(a == b);
  // An equal view in another form.
  io::layout const box = io::subarray({3, 4}, {3, 2}, {0, 0}, io::type<int>).form();
  CHECK(a == io::view(8, io::type<int>, io::resized(box, 0, 40)));
  CHECK(a != io::view(8, io::type<int>, box));
  b = io::view(9, io::vector(3, 2, 4, io::type<int>));
  CHECK(a != b);
  a = std::move(b);
  CHECK(a.displacement() == 9);
}

TEST_CASE("a view of 10^12 pieces costs what one of 10 costs", "[view][cost]") {
  std::int64_t const huge = 1'000'000'000'000;
  io::view const few = tile_of(10), many = tile_of(huge);
  CHECK(many.byte_offset(huge - 1) == 512 + 16 * (huge - 1));
  CHECK(many.offset_of_end(512 + 16 * (huge / 2)) == huge / 2);
  argosy::allocation_count const count;
  io::view const again = tile_of(huge);
  CHECK(again.byte_offset(huge + 1) == many.byte_offset(huge + 1));
  CHECK(count.since() == 0);
  // Generous, because the machine may be busy. A walk over the pieces would take 10^11 times as
  // long.
  double const a = cost(few, 10), b = cost(many, huge);
  CAPTURE(a, b);
  CHECK(b < 10 * a);
}

TEST_CASE("tiles of an irregular filetype that join cost one list of pieces", "[view][cost]") {
  std::vector<std::int64_t> offsets{0}, lengths{8};
  for (std::int64_t i = 1; i < 2000; ++i) {
    offsets.push_back(offsets.back() + lengths.back() + 8 * (1 + i * i % 7));
    lengths.push_back(8 * (1 + i * i % 3));
  }
  io::layout const filetype = io::table(offsets, lengths);
  io::view const v(16, io::type<double>, filetype);
  REQUIRE(v.stream().tables().size() == 1);
  CHECK(v.stream().tables()[0].size() + 1 == filetype.tables()[0].size());
  // Three tiles, by a walk.
  io::extend::cursor at(v.stream());
  std::vector<io::extend::piece> expected;
  for (std::int64_t tile = 0; tile < 3; ++tile)
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      io::extend::piece const p{16 + tile * filetype.extent() + offsets[i], lengths[i]};
      if (!expected.empty() && expected.back().end() == p.offset)
        expected.back().length += p.length;
      else
        expected.push_back(p);
    }
  expected.pop_back();  // a fourth tile makes it longer
  for (io::extend::piece const& p : expected) {
    REQUIRE(at.current() == p);
    at.next();
  }
  CHECK(v.offset_of_end(16 + filetype.extent()) == filetype.size() / 8);
  CHECK(v.byte_offset(5 * filetype.size() / 8) == 16 + 5 * filetype.extent());
}

// A block takes numbers of 4 bytes: an offset, and a length if lengths differ. Both are stored once
// more if the last block joins the first of the next tile. While the view is made, no more than
// that is needed in addition.
TEST_CASE("a view of irregular blocks keeps few bytes for each", "[view][cost][allocations]") {
  bool const differ = GENERATE(false, true), joins = GENERATE(false, true);
  CAPTURE(differ, joins);
  constexpr std::size_t blocks = 100000;
  std::mt19937_64 random(argosy::test::seed());
  list offsets, lengths;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    offsets.push_back(at);
    lengths.push_back(differ ? 1 + static_cast<std::int64_t>(random() % 3) : 1);
    at +=
        8 * (lengths.back() + (i + 1 == blocks ? 0 : 1 + static_cast<std::int64_t>(random() % 2)));
  }
  io::hindexed const described(lengths, offsets, io::type<double>);
  argosy::heap_peak const used;
  io::view const v(0, io::type<double>, io::resized(described, 0, joins ? at : at + 8));
  // `resized` has the program's lists while the view is made.
  std::size_t const lists = 2 * 8 * blocks;
  CHECK(used.kept() >= 4 * blocks);
  CHECK(used.kept() <= (differ && joins ? 17 : joins ? 13 : differ ? 9 : 5) * blocks);
  CHECK(used.bytes() <= 2 * 16 * blocks + (differ && joins ? 2 * blocks : 0));
  CHECK(used.bytes() >= lists);
  CHECK(v.byte_offset(1) == (differ && lengths[0] > 1 ? 8 : offsets[1]));
}
