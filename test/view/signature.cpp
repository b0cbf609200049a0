// Signatures, and the forms of datatypes in the file.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/datatype/aggregate.hpp>
#include <argosy/datatype/detail/type_digest.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/layout.hpp>

#include "support/seed.hpp"
#include "view/representation_cases.hpp"

namespace io = argosy;
using io::extend::basic_type;
using namespace io::test;

namespace {

struct mixed {
  char tag;
  long count;
  std::complex<float> z;
  std::array<short, 3> s;
  long double wide;
  bool flag;
  wchar_t letter;
};

struct chosen {
  double kept;
  int left_out;
  float also;
};
struct opaque {
  std::uint64_t bits;
};
struct typed_by_hand {
  std::uint64_t bits;
};

}  // namespace

template <>
struct argosy::describe<chosen> : argosy::members<&chosen::also, &chosen::kept> {};
template <>
struct argosy::describe<opaque> {
  static constexpr layout form() { return bytes(8); }
};
template <>
struct argosy::describe<typed_by_hand> {
  static constexpr layout form() { return bytes(8); }
  static constexpr signature types() { return signature(basic_type::uint64); }
};

namespace {

template <class D>
std::string types(D const& d) {
  auto const s = io::detail::signature_of(d);
  CHECK(s.size() == io::detail::form_of(d).size());
  return to_string(s);
}
template <class D>
io::layout external(D const& d) {
  return io::detail::file_form_of(d, io::detail::external32_sizes);
}

// Returns the types one by one.
std::vector<basic_type> expanded(io::extend::signature const& s) {
  std::vector<basic_type> all;
  auto const walk = [&](auto&& self, std::size_t from, std::size_t to) -> void {
    for (std::size_t i = from; i < to; i += s.nodes()[i].span())
      for (std::int64_t k = 0; k < s.nodes()[i].count; ++k) {
        if (s.nodes()[i].body == 0)
          all.push_back(s.nodes()[i].type);
        else
          self(self, i + 1, i + s.nodes()[i].span());
      }
  };
  walk(walk, 0, s.nodes().size());
  return all;
}

}  // namespace

TEST_CASE("the signature of a datatype is its types in compressed form",
          "[representation][signature]") {
  CHECK(types(io::type<double>) == "float64");
  CHECK(types(io::type<std::byte>) == "byte");
  CHECK(types(io::type<color>) == "uint16");
  CHECK(types(io::type<long>) == "long");
  CHECK(types(io::type<long long>) == "int64");
  CHECK(types(io::detail::int64_type) == "int64");
  CHECK(types(io::type<std::complex<float>>) == "2 float32");
  CHECK(types(io::type<double[2][3]>) == "6 float64");
  CHECK(types(io::type<std::array<particle, 4>>) == "4 x (3 float64, int32)");
  CHECK(types(io::type<particle>) == "3 float64, int32");
  CHECK(types(io::type<chosen>) == "float32, float64");
  CHECK(types(io::type<std::pair<int, double>>) == "int32, float64");
  CHECK(types(io::type<mixed>) ==
        "character, long, 2 float32, 3 int16, long double, boolean, wide character");
  CHECK(types(io::contiguous(5, io::type<particle>)) == "5 x (3 float64, int32)");
  CHECK(types(io::vector(4, 2, 7, io::type<int>)) == "8 int32");
  CHECK(types(io::hvector(4, 2, 70, io::type<particle>)) == "8 x (3 float64, int32)");
  CHECK(types(io::indexed({2, 0, 1}, {0, 7, 9}, io::type<float>)) == "3 float32");
  CHECK(types(io::hindexed({2, 1}, {0, 90}, io::type<float>)) == "3 float32");
  CHECK(types(io::indexed_block(3, {0, 7, 9}, io::type<float>)) == "9 float32");
  CHECK(types(io::hindexed_block(3, {0, 70}, io::type<float>)) == "6 float32");
  CHECK(types(io::subarray({8, 9}, {2, 3}, {1, 1}, io::type<short>)) == "6 int16");
  CHECK(types(io::darray<float, 2>({100, 90}, io::distribute::cyclic(3), io::list(3, 4), 7)) ==
        "693 float32");
  CHECK(types(io::resized(io::type<int>, 0, 16)) == "int32");
  CHECK(types(io::record(io::member(0, io::type<double>, 3), io::member(32, io::type<int>))) ==
        "3 float64, int32");
  CHECK(types(io::record({2, 1}, {0, 32}, io::type<particle>, io::type<int>)) ==
        "2 x (3 float64, int32), int32");
  CHECK(types(io::contiguous(0, io::type<int>)).empty());
  // Data without types is bytes.
  CHECK(types(io::bytes(12)) == "12 byte");
  CHECK(types(io::flatten(io::contiguous(io::constant<2>, io::type<double>))) == "16 byte");
  CHECK(types(io::type<opaque>) == "8 byte");
  CHECK(types(io::type<typed_by_hand>) == "uint64");
  static_assert(
      io::detail::signature_of(io::contiguous(io::constant<1'000'000'000'000>, io::type<particle>))
          .nodes()
          .size() == 3);
}

TEST_CASE("buffers know their types", "[representation][signature]") {
  std::vector<particle> const particles(7);
  CHECK(to_string(io::memory(particles).types()) == "7 x (3 float64, int32)");
  double const scalar = 1;
  CHECK(to_string(io::memory(scalar).types()) == "float64");
  CHECK(
      to_string(io::memory(static_cast<void const*>(&scalar), io::contiguous(3, io::type<short>), 4)
                    .types()) == "12 int16");
  io::const_buffer const copied = io::memory(particles);
  CHECK(copied.types() == io::memory(particles).types());
  std::byte raw[8];
  CHECK(to_string(io::buffer{raw, io::bytes(8)}.types()) == "8 byte");
}

TEST_CASE("signatures built in pieces name the same types in the same order",
          "[representation][signature]") {
  CAPTURE(argosy::test::seed());
  generator g;
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    std::vector<basic_type> all;
    io::extend::signature const s = g.signature(all, 3);
    std::int64_t bytes = 0, external_bytes = 0;
    for (basic_type t : all) {
      bytes += io::detail::size_in(io::detail::native_sizes, t);
      external_bytes += io::detail::size_in(io::detail::external32_sizes, t);
    }
    REQUIRE(expanded(s) == all);
    REQUIRE(s.size() == bytes);
    REQUIRE(s.size_with(io::detail::external32_sizes) == external_bytes);
  }
}

TEST_CASE("in the file, constructors work on external extents and bytes stay bytes",
          "[representation][external32]") {
  std::int64_t const l = 4;  // size of a long
  CHECK(external(io::type<long>) == io::bytes(4));
  CHECK(external(io::type<wchar_t>) == io::bytes(2));
  CHECK(external(io::type<long double>) == io::bytes(16));
  CHECK(external(io::contiguous(5, io::type<long>)) == io::bytes(20));
  CHECK(external(io::type<long[2][3]>) == io::bytes(24));
  CHECK(external(io::type<std::array<long, 3>>) == io::bytes(12));
  CHECK(external(io::vector(4, 2, 7, io::type<long>)) == io::vector(4, 2, 7, io::bytes(l)).form());
  CHECK(external(io::hvector(4, 2, 70, io::type<long>)) ==
        io::hvector(4, 2, 70, io::bytes(l)).form());
  CHECK(external(io::indexed({2, 1}, {0, 7}, io::type<long>)) ==
        io::indexed({2, 1}, {0, 7}, io::bytes(l)).form());
  CHECK(external(io::hindexed({2, 1}, {0, 70}, io::type<long>)) ==
        io::hindexed({2, 1}, {0, 70}, io::bytes(l)).form());
  CHECK(external(io::subarray({8, 9}, {2, 3}, {1, 1}, io::type<long>, io::order::fortran)) ==
        io::subarray({8, 9}, {2, 3}, {1, 1}, io::bytes(l), io::order::fortran).form());
  io::darray<long, 2> const dealt({100, 90}, io::distribute::cyclic(3), io::list(3, 4), 7);
  CHECK(external(dealt) == dealt.with(io::bytes(l)).form());
  CHECK(external(io::record(io::member(0, io::type<long>, 3), io::member(32, io::type<int>))) ==
        io::concat(io::bytes(12), io::at(32, io::bytes(4))));
  CHECK(external(io::resized(io::type<long>, 0, 24)) == io::resized(io::bytes(4), 0, 24));
  // Members stay where the compiler put them.
  io::layout const m = external(io::type<mixed>);
  CHECK(m.extent() == static_cast<std::int64_t>(sizeof(mixed)));
  CHECK(m.size() == 1 + 4 + 8 + 6 + 16 + 1 + 2);
  CHECK(external(io::type<particle>) == io::type<particle>.form());
  CHECK(external(io::type<chosen>) == io::type<chosen>.form());
  // If no size changes, a datatype is its own external form.
  CHECK(external(io::darray<double, 2>({9, 9}, io::distribute::block, io::list(2, 2), 3)) ==
        io::darray<double, 2>({9, 9}, io::distribute::block, io::list(2, 2), 3).form());
}

TEST_CASE("whether types repeat does not depend on how they are described",
          "[representation][types]") {
  CAPTURE(argosy::test::seed());
  std::mt19937_64 random(argosy::test::seed());
  auto const pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  constexpr std::array types{io::extend::basic_type::byte, io::extend::basic_type::int32,
                             io::extend::basic_type::uint32, io::extend::basic_type::float64};
  // Describes a sequence of items: cut at random, and equal halves as a loop.
  auto const describe =
      [&](auto&& self, std::span<io::extend::basic_type const> items) -> io::extend::signature {
    io::extend::signature all;
    if (items.size() == 1) return io::extend::signature(items[0]);
    if (items.empty()) return all;
    std::size_t const half = items.size() / 2;
    if (items.size() % 2 == 0 &&
        std::equal(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half),
                   items.begin() + static_cast<std::ptrdiff_t>(half)))
      return all.append(self(self, items.first(half)), 2);
    std::size_t const cut = 1 + pick(items.size() - 1);
    return all.append(self(self, items.first(cut))).append(self(self, items.subspan(cut)));
  };
  auto const without_sign = [](std::vector<io::extend::basic_type> list) {
    for (io::extend::basic_type& b : list)
      if (b == io::extend::basic_type::uint32) b = io::extend::basic_type::int32;
    return list;
  };
  int repeated = 0, otherwise = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<io::extend::basic_type> one, all;
    for (std::size_t n = 1 + pick(4); n > 0; --n) one.push_back(types[pick(types.size())]);
    std::size_t const copies = pick(9);
    for (std::size_t k = 0; k < copies; ++k) all.insert(all.end(), one.begin(), one.end());
    bool right = true;
    if (!all.empty() && pick(2) == 0) {
      auto const before = without_sign(all);
      all[pick(all.size())] = types[pick(types.size())];
      right = without_sign(all) == before;
    }
    io::detail::type_digest const whole(describe(describe, all)), part(describe(describe, one));
    CHECK(whole.repeats(part, static_cast<std::int64_t>(copies)) == right);
    CHECK_FALSE(whole.repeats(part, static_cast<std::int64_t>(copies) + 1));
    (right ? repeated : otherwise) += 1;
  }
  CHECK(repeated > 5'000);
  CHECK(otherwise > 3'000);
  // The largest numbers.
  std::int64_t const many = std::int64_t{1} << 40;
  CHECK(
      io::detail::type_digest(io::extend::signature(io::extend::basic_type::int32, 3 * many))
          .repeats(io::detail::type_digest(io::extend::signature(io::extend::basic_type::int32, 3)),
                   many));
}
