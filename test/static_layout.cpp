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
#include <argosy/datatype/members.hpp>
#include <argosy/datatype/vector.hpp>
#include <argosy/layout.hpp>

#include "support/allocations.hpp"

namespace io = argosy;

namespace {

struct particle {
  double x, y;
  std::int32_t id, kind;
};

// The last member of one particle joins the first of the next.
struct ring {
  double a, b;
};

using ids = io::members<&particle::x, &particle::id>;

auto const rows = io::vector(io::c<16>, io::c<4>, io::c<8>, io::type<double>);
[[maybe_unused]] auto const loose_rows = io::hvector(io::c<16>, io::c<1>, io::c<64>, io::contiguous(io::c<4>, io::type<double>));

static_assert(std::is_empty_v<decltype(io::flatten(rows))>);
// Two ways to say the same bytes: one type.
static_assert(std::same_as<decltype(io::flatten(rows)), decltype(io::flatten(loose_rows))>);
static_assert(decltype(io::flatten(rows))::form.nodes.size() == 2);
static_assert(decltype(io::flatten(rows))::pieces() == 16);
static_assert(decltype(io::flatten(rows))::is_monotonic());
static_assert(!decltype(io::flatten(rows))::overlaps());
static_assert(decltype(io::flatten(rows))::to_layout() == rows.form());

// Bytes 0, 1, 2, ... so that every byte knows where it came from.
std::vector<std::byte> numbered(std::int64_t size) {
  std::vector<std::byte> memory(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  return memory;
}

template <class Flat>
void check_against_pieces(Flat const& flat) {
  io::layout const& l = flat;
  auto const memory = numbered(l.true_upper_bound());
  std::vector<std::byte> expected;
  for (io::cursor at(l); !at.done(); at.next()) {
    auto const p = at.current();
    expected.insert(expected.end(), memory.begin() + p.offset, memory.begin() + p.end());
  }
  std::vector<std::byte> packed(expected.size()), target(memory.size(), std::byte{0xee}), hoped = target;
  io::pack(flat, memory.data(), packed.data());
  CHECK(packed == expected);
  io::unpack(flat, packed.data(), target.data());
  for (io::cursor at(l); !at.done(); at.next()) {
    auto const p = at.current();
    std::copy(memory.begin() + p.offset, memory.begin() + p.end(), hoped.begin() + p.offset);
  }
  CHECK(target == hoped);
}

}  // namespace

TEST_CASE("static layouts pack what their pieces say", "[static_layout]") {
  check_against_pieces(io::flatten(rows));
  check_against_pieces(io::flatten(ids{}));
  check_against_pieces(io::flatten(io::contiguous(io::c<100>, ids{})));
  check_against_pieces(io::flatten(io::contiguous(io::c<0>, ids{})));
}

TEST_CASE("a run-time count of static records keeps the record's loop", "[static_layout]") {
  for (std::int64_t n : {1, 2, 3, 4, 5, 1000}) {
    auto const flat = io::flatten(io::contiguous(n, ids{}));
    static_assert(!std::same_as<decltype(flat), io::layout const>);
    check_against_pieces(flat);
    if (n > 4) CHECK(flat.element() != nullptr);
  }
  // What is dense needs no record: a plain layout of one piece.
  static_assert(std::same_as<decltype(io::flatten(io::contiguous(7, io::type<double>))), io::layout>);
}

TEST_CASE("records that join their neighbours keep a loop for the period", "[static_layout]") {
  using outer = io::members<&particle::kind, &particle::x>;  // in stream order: the end, then the start
  check_against_pieces(io::flatten(io::contiguous(50, outer{})));
  check_against_pieces(io::flatten(io::contiguous(io::c<50>, outer{})));
  check_against_pieces(io::flatten(io::contiguous(50, io::members<&ring::a>{})));
}

TEST_CASE("packing allocates nothing", "[static_layout][cost]") {
  auto const memory = numbered(1 << 16);
  std::vector<std::byte> stream(1 << 16);
  volatile std::int64_t n = 1000;
  io::allocation_count const before;
  io::pack(io::flatten(rows), memory.data(), stream.data());
  io::pack(io::flatten(io::contiguous(n, ids{})), memory.data(), stream.data());
  io::layout const l = io::repeat(n, 32, io::repeat(2, 12, io::bytes(4)));
  io::pack(l, memory.data(), 17, 4711, stream.data());
  CHECK(before.since() == 0);
}
