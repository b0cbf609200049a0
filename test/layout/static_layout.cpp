// Layouts as types: empty objects that pack like hand-written loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/flatten.hpp>
#include <argosy/datatype/indexed.hpp>
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

}  // namespace

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
