// Layouts as types: empty objects that pack like hand-written loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/detail/static_data.hpp>
#include <argosy/datatype/flatten.hpp>
#include <argosy/datatype/indexed.hpp>
#include <argosy/datatype/indexed_block.hpp>
#include <argosy/datatype/members.hpp>
#include <argosy/datatype/record.hpp>
#include <argosy/datatype/vector.hpp>
#include <argosy/layout.hpp>

#include "support/allocations.hpp"

namespace io = argosy;

namespace {

struct particle {
  double x, y;
  std::int32_t id, kind;
};

// In an array of these, the last member of one joins the first of the next.
struct ring {
  double a, b;
};

using ids = io::members<&particle::x, &particle::id>;

// Irregular blocks, too many for a loop's body, so they become tables.
auto const first_blocks = io::indexed(
    io::list(io::constant<1>, io::constant<1>, io::constant<1>, io::constant<2>, io::constant<3>,
             io::constant<1>, io::constant<2>, io::constant<2>, io::constant<3>, io::constant<3>,
             io::constant<2>, io::constant<1>, io::constant<1>, io::constant<1>, io::constant<1>,
             io::constant<3>, io::constant<2>, io::constant<1>, io::constant<3>),
    io::list(io::constant<0>, io::constant<4>, io::constant<7>, io::constant<10>, io::constant<14>,
             io::constant<19>, io::constant<21>, io::constant<24>, io::constant<28>,
             io::constant<32>, io::constant<37>, io::constant<42>, io::constant<46>,
             io::constant<49>, io::constant<51>, io::constant<55>, io::constant<59>,
             io::constant<64>, io::constant<67>),
    io::type<double>);
auto const other_blocks = io::indexed(
    io::list(io::constant<1>, io::constant<1>, io::constant<1>, io::constant<3>, io::constant<2>,
             io::constant<1>, io::constant<1>, io::constant<3>, io::constant<2>, io::constant<2>,
             io::constant<3>, io::constant<3>, io::constant<3>, io::constant<1>, io::constant<2>,
             io::constant<2>, io::constant<2>, io::constant<1>, io::constant<1>, io::constant<1>,
             io::constant<1>, io::constant<1>, io::constant<3>),
    io::list(io::constant<0>, io::constant<2>, io::constant<5>, io::constant<9>, io::constant<14>,
             io::constant<19>, io::constant<23>, io::constant<27>, io::constant<31>,
             io::constant<36>, io::constant<41>, io::constant<46>, io::constant<51>,
             io::constant<56>, io::constant<58>, io::constant<62>, io::constant<66>,
             io::constant<71>, io::constant<75>, io::constant<77>, io::constant<79>,
             io::constant<82>, io::constant<84>),
    io::type<double>);
auto const two_tables = io::record(io::member(io::constant<8>, first_blocks, io::constant<20>),
                                   io::member(io::constant<20000>, other_blocks));

auto const rows = io::vector(io::constant<16>, io::constant<4>, io::constant<8>, io::type<double>);
[[maybe_unused]] auto const loose_rows =
    io::hvector(io::constant<16>, io::constant<1>, io::constant<64>,
                io::contiguous(io::constant<4>, io::type<double>));

static_assert(std::is_empty_v<decltype(io::flatten(rows))>);
// Two expressions for the same bytes have one type.
static_assert(std::same_as<decltype(io::flatten(rows)), decltype(io::flatten(loose_rows))>);
static_assert(decltype(io::flatten(rows))::form.nodes.size() == 2);
static_assert(decltype(io::flatten(rows))::pieces() == 16);
static_assert(decltype(io::flatten(rows))::is_monotonic());
static_assert(!decltype(io::flatten(rows))::overlaps());
static_assert(decltype(io::flatten(rows))::to_layout() == rows.form());
static_assert(decltype(io::flatten(two_tables))::form.table_ends.size() == 2);
static_assert(decltype(io::flatten(two_tables))::to_layout() == two_tables.form());

auto const equal_blocks = io::indexed_block(
    io::constant<1>,
    io::list(io::constant<0>, io::constant<3>, io::constant<5>, io::constant<10>, io::constant<12>,
             io::constant<18>, io::constant<21>, io::constant<29>, io::constant<31>,
             io::constant<36>, io::constant<43>, io::constant<45>, io::constant<52>,
             io::constant<56>, io::constant<63>, io::constant<66>, io::constant<75>,
             io::constant<77>, io::constant<84>, io::constant<90>, io::constant<93>,
             io::constant<101>, io::constant<107>, io::constant<109>, io::constant<118>,
             io::constant<121>),
    io::type<double>);

// Returns bytes 0, 1, 2, ... so that every byte shows its origin.
std::vector<std::byte> numbered(std::int64_t size) {
  std::vector<std::byte> memory(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  return memory;
}

template <class Flat>
void check_against_pieces(Flat const& flat) {
  io::layout const& l = flat;
  auto const memory = numbered(l.true_upper_bound());
  std::vector<std::byte> expected;
  for (io::extend::cursor at(l); !at.done(); at.next()) {
    auto const p = at.current();
    expected.insert(expected.end(), memory.begin() + p.offset, memory.begin() + p.end());
  }
  std::vector<std::byte> packed(expected.size()), target(memory.size(), std::byte{0xee}),
      hoped = target;
  io::pack(flat, memory.data(), packed.data());
  CHECK(packed == expected);
  io::unpack(flat, packed.data(), target.data());
  for (io::extend::cursor at(l); !at.done(); at.next()) {
    auto const p = at.current();
    std::copy(memory.begin() + p.offset, memory.begin() + p.end(), hoped.begin() + p.offset);
  }
  CHECK(target == hoped);
}

// The layout of a datatype, made by the functions for run time.
template <class Type>
struct source_of {
  static constexpr io::layout form() { return Type{}.form(); }
};

// Calls the functions at run time that the compiler calls for constants.
template <class Type>
void check_against_run_time(Type const&) {
  using flat = decltype(io::flatten(Type{}));
  io::layout const l = source_of<Type>::form();
  CHECK(flat::to_layout() == l);
  CHECK(io::layout(io::detail::static_form_of<source_of<Type>>()) == l);
  CHECK(flat::size() == l.size());
  CHECK(flat::pieces() == l.pieces());
  CHECK(flat::origin() == l.origin());
  CHECK(flat::extent() == l.extent());
  CHECK(flat::lower_bound() == l.lower_bound());
  CHECK(flat::upper_bound() == l.upper_bound());
  CHECK(flat::true_lower_bound() == l.true_lower_bound());
  CHECK(flat::true_upper_bound() == l.true_upper_bound());
  CHECK(flat::true_extent() == l.true_extent());
  CHECK(flat::depth() == l.depth());
  CHECK(flat::density() == l.density());
  CHECK(flat::empty() == l.empty());
  CHECK(flat::is_contiguous() == l.is_contiguous());
  CHECK(flat::is_regular() == l.is_regular());
  CHECK(flat::is_monotonic() == l.is_monotonic());
  CHECK(flat::overlaps() == l.overlaps());
  CHECK(flat() == flat());
  auto const sizes = io::detail::sizes_of(l);
  CHECK(sizes.nodes == flat::form.nodes.size());
  CHECK(sizes.places == flat::form.places.size());
  CHECK(sizes.tables == flat::form.table_ends.size());
  CHECK(sizes.pieces == flat::form.pieces.size());
}

}  // namespace

TEST_CASE("static layouts have the numbers of the same layouts at run time", "[static_layout]") {
  check_against_run_time(rows);
  check_against_run_time(ids{});
  check_against_run_time(first_blocks);
  check_against_run_time(two_tables);
  check_against_run_time(equal_blocks);
  check_against_run_time(io::contiguous(io::constant<0>, ids{}));
  check_against_run_time(io::contiguous(io::constant<3>, io::type<double>));
  // The blocks of this one overlap, and are not in order.
  check_against_run_time(io::hindexed(io::list(io::constant<2>, io::constant<2>),
                                      io::list(io::constant<20>, io::constant<8>),
                                      io::type<double>));
  REQUIRE(io::flatten(equal_blocks).value().tables().size() == 1);
  REQUIRE(io::flatten(first_blocks).value().tables().size() == 1);
  CHECK(io::flatten(equal_blocks).value().tables()[0].equal_lengths());
  CHECK_FALSE(io::flatten(first_blocks).value().tables()[0].equal_lengths());
}

TEST_CASE("copies of static data fit into their room, or are left to the layout",
          "[static_layout]") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  __extension__ typedef __int128 wide;
  for (std::int64_t const size : {0, 1, 4})
    for (std::int64_t const extent : {-8, -1, 0, 1, 8})
      for (std::int64_t const low : {-1, 0, 1})
        for (std::int64_t const high : {1, 4, 9})
          for (std::int64_t const copies :
               {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{2},
                std::int64_t{3}, std::int64_t{1} << 61, most / 8, most})
            for (std::int64_t const room :
                 {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{4},
                  std::int64_t{5}, std::int64_t{9}, std::int64_t{12}, std::int64_t{17},
                  std::int64_t{20}, std::int64_t{25}, most - 8, most}) {
              io::detail::static_data const d{.size = size,
                                              .extent = extent,
                                              .low = low,
                                              .high = high,
                                              .pieces = 1,
                                              .in_a_row = false,
                                              .pack = nullptr,
                                              .unpack = nullptr,
                                              .buffer = nullptr};
              bool const expected = copies >= 0 && low >= 0 && extent >= 0 &&
                                    wide(copies) * size <= most && wide(copies) * extent <= most &&
                                    (copies == 0 || high + wide(copies - 1) * extent <= room);
              if (d.fits(copies, room) != expected) {
                CAPTURE(size, extent, low, high, copies, room, expected);
                FAIL("fits");
              }
            }
}

TEST_CASE("static layouts pack what their pieces say", "[static_layout]") {
  check_against_pieces(io::flatten(rows));
  check_against_pieces(io::flatten(ids{}));
  check_against_pieces(io::flatten(io::contiguous(io::constant<100>, ids{})));
  check_against_pieces(io::flatten(io::contiguous(io::constant<0>, ids{})));
}

TEST_CASE("irregular blocks lie in tables, each in its own", "[static_layout]") {
  check_against_pieces(io::flatten(first_blocks));
  check_against_pieces(io::flatten(two_tables));
  CHECK(io::layout(io::flatten(two_tables)) == two_tables.form());
}

TEST_CASE("a run-time count of static records keeps the record's loop", "[static_layout]") {
  for (std::int64_t n : {1, 2, 3, 4, 5, 1000}) {
    auto const flat = io::flatten(io::contiguous(n, ids{}));
    static_assert(!std::same_as<decltype(flat), io::layout const>);
    check_against_pieces(flat);
    if (n > 4) CHECK(flat.element() != nullptr);
  }
  // Dense data needs no record: it is a plain layout of one piece.
  static_assert(
      std::same_as<decltype(io::flatten(io::contiguous(7, io::type<double>))), io::layout>);
}

TEST_CASE("records that join their neighbours keep a loop for the period", "[static_layout]") {
  // in stream order: the end, then the start
  using outer = io::members<&particle::kind, &particle::x>;
  check_against_pieces(io::flatten(io::contiguous(50, outer{})));
  check_against_pieces(io::flatten(io::contiguous(io::constant<50>, outer{})));
  check_against_pieces(io::flatten(io::contiguous(50, io::members<&ring::a>{})));
}

TEST_CASE("packing allocates nothing", "[static_layout][cost]") {
  auto const memory = numbered(1 << 16);
  std::vector<std::byte> stream(1 << 16);
  std::int64_t volatile n = 1000;
  io::allocation_count const before;
  io::pack(io::flatten(rows), memory.data(), stream.data());
  io::pack(io::flatten(io::contiguous(n, ids{})), memory.data(), stream.data());
  io::layout const l = io::repeat(n, 32, io::repeat(2, 12, io::bytes(4)));
  io::pack(l, memory.data(), 17, 4711, stream.data());
  CHECK(before.since() == 0);
}
