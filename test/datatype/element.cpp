// C++ types as elements: which members are data, and their places.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <argosy/datatype/aggregate.hpp>
#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/layout.hpp>

namespace io = argosy;

namespace {

enum class color : std::uint16_t { red, green };
struct empty {};

struct dense {
  double x;
  int id;
  float w;
};
struct padded {
  char tag;
  double x;
  short count;
};
struct nested {
  char tag;
  padded inner;
  float matrix[2][3];
  std::array<dense, 2> pair;
  color c;
};
struct aligned {
  char a;
  alignas(64) double b;
  bool flag;
};
struct tight {
  int a;
  [[no_unique_address]] empty nothing;
  empty something;
  std::complex<float> z;
};
struct deep {
  int grid[2][2][2];
  struct {
    char c;
    long l;
  } tail[3];
};

struct base {
  double energy;
  int id;
};
struct other_base {
  char name[3];
};
struct derived : other_base, base {
  float extra;
};
class polymorphic {
 public:
  explicit polymorphic(int v) : x(v) {}
  virtual ~polymorphic() = default;
  int x;
  double y = 0;
};
struct by_hand {
  double values[8];
};
struct chosen {
  double x, v, f;
  int id;
};
struct of_run_time {
  double values[4];
};
std::int64_t bytes_of_run_time = 8;
struct around_it {
  int first;
  std::array<of_run_time, 2> two;
};

}  // namespace

template <>
struct argosy::describe<derived>
    : argosy::members<&derived::energy, &derived::extra, &derived::name> {};
template <>
struct argosy::describe<polymorphic> : argosy::members<&polymorphic::y, &polymorphic::x> {};
template <>
struct argosy::describe<by_hand> {
  static constexpr layout form() { return argosy::repeat(4, 16, argosy::bytes(8)); }
};
template <>
struct argosy::describe<of_run_time> {
  static constexpr bool is_static = false;
  static layout form() { return argosy::at(8, argosy::bytes(bytes_of_run_time)); }
};
template <>
struct argosy::describe<chosen> : argosy::members<&chosen::x, &chosen::id> {};

namespace {

// The fields of a type in another form: (offset, size), in order.
using fields = std::vector<std::pair<std::size_t, std::size_t>>;

template <class T>
void check(fields const& expected) {
  std::vector<io::extend::piece> pieces;
  for (auto [offset, size] : expected) {
    auto const o = static_cast<std::int64_t>(offset), n = static_cast<std::int64_t>(size);
    if (!pieces.empty() && pieces.back().end() == o)
      pieces.back().length += n;
    else
      pieces.push_back({o, n});
  }
  io::layout const form = io::detail::layout_of<T>();
  std::vector<io::extend::piece> found;
  for (io::extend::cursor at(form); !at.done(); at.next()) found.push_back(at.current());
  CHECK(found == pieces);
  CHECK(form.lower_bound() == 0);
  CHECK(form.extent() == static_cast<std::int64_t>(sizeof(T)));
}

// All of this happens at compile time.
static_assert(io::detail::layout_of<dense>() == io::bytes(16),
              "a record without padding is one leaf");
static_assert(io::contiguous(io::constant<10>, io::type<dense>).form() == io::bytes(160));
static_assert(io::detail::layout_of<padded>().size() == 11 &&
              io::detail::layout_of<padded>().extent() == 24);
static_assert(io::detail::layout_of<double const>() == io::bytes(8));
static_assert(io::detail::layout_of<std::byte>().size() == 1 &&
              io::detail::layout_of<color>().size() == 2);
static_assert(io::detail::layout_of<std::complex<double>[3]>() == io::bytes(48));
static_assert(io::detail::layout_of<std::array<std::array<int, 3>, 2>>() == io::bytes(24));
static_assert(io::detail::layout_of<empty>().empty() &&
              io::detail::layout_of<empty>().extent() == 1);
static_assert(std::is_empty_v<io::extend::element<nested>> &&
              io::detail::static_datatype<io::extend::element<nested>>);
static_assert(io::element_type<nested> && io::element_type<double&> && io::element_type<derived>);
static_assert(!io::element_type<int*> && !io::element_type<std::vector<int>> &&
              !io::element_type<padded*>);
// Chosen members as a datatype of their own.
static_assert(io::members<&dense::id>::form().origin() == offsetof(dense, id));
static_assert(io::contiguous(io::constant<4>, io::members<&dense::x>{}).form() ==
              io::resized(io::repeat(4, 16, io::bytes(8)), 0, 64));

}  // namespace

TEST_CASE("an aggregate is its members at their offsets", "[element][aggregate]") {
  check<dense>({{0, 16}});
  check<padded>(
      {{offsetof(padded, tag), 1}, {offsetof(padded, x), 8}, {offsetof(padded, count), 2}});
  check<aligned>(
      {{offsetof(aligned, a), 1}, {offsetof(aligned, b), 8}, {offsetof(aligned, flag), 1}});
  check<tight>({{offsetof(tight, a), 4}, {offsetof(tight, z), 8}});
  std::size_t const inner = offsetof(nested, inner);
  check<nested>({{offsetof(nested, tag), 1},
                 {inner + offsetof(padded, tag), 1},
                 {inner + offsetof(padded, x), 8},
                 {inner + offsetof(padded, count), 2},
                 {offsetof(nested, matrix), 24},
                 {offsetof(nested, pair), 32},
                 {offsetof(nested, c), 2}});
  std::size_t const tail = offsetof(deep, tail);
  check<deep>({{0, 32},
               {tail, 1},
               {tail + 8, 8},
               {tail + 16, 1},
               {tail + 24, 8},
               {tail + 32, 1},
               {tail + 40, 8}});
}

TEST_CASE("chosen members come in the order in which they are named, at their real offsets",
          "[element][members]") {
  check<chosen>({{offsetof(chosen, x), 8}, {offsetof(chosen, id), 4}});
  derived const d{};
  auto const offset = [&](auto const& member) {
    return static_cast<std::size_t>(reinterpret_cast<char const*>(&member) -
                                    reinterpret_cast<char const*>(&d));
  };
  check<derived>({{offset(d.energy), 8}, {offset(d.extra), 4}, {offset(d.name), 3}});
  polymorphic const p(1);
  auto const in_p = [&](auto const& member) {
    return static_cast<std::size_t>(reinterpret_cast<char const*>(&member) -
                                    reinterpret_cast<char const*>(&p));
  };
  check<polymorphic>({{in_p(p.y), 8}, {in_p(p.x), 4}});
  check<std::pair<char, double>>({{0, 1}, {8, 8}});
}

TEST_CASE("a description by hand is taken as it is, if it stays inside the object",
          "[element][describe]") {
  check<by_hand>({{0, 8}, {16, 8}, {32, 8}, {48, 8}});
  check<by_hand[2]>({{0, 8}, {16, 8}, {32, 8}, {48, 8}, {64, 8}, {80, 8}, {96, 8}, {112, 8}});
  CHECK_THROWS_AS(io::detail::placed_in(io::bytes(9), 8), io::invalid_layout);
}

TEST_CASE("a form may be known at run time only", "[element][describe]") {
  static_assert(decltype(io::type<by_hand>)::is_static && decltype(io::type<dense>)::is_static);
  static_assert(!decltype(io::type<of_run_time[2]>)::is_static);
  static_assert(!decltype(io::type<around_it>)::is_static &&
                !io::members<&around_it::two>::is_static);
  using io::at, io::bytes, io::concat, io::resized;
  for (std::int64_t const n : {8, 24}) {
    bytes_of_run_time = n;
    CHECK(io::type<of_run_time>.form() == resized(at(8, bytes(n)), 0, 32));
    CHECK(io::type<around_it>.form() ==
          resized(concat(bytes(4), at(16, bytes(n)), at(48, bytes(n))), 0, 72));
    CHECK(io::contiguous(3, io::type<of_run_time>).form() ==
          io::repeat(3, 32, resized(at(8, bytes(n)), 0, 32)));
    CHECK(io::members<&around_it::first>().form() == resized(bytes(4), 0, 72));
  }
  bytes_of_run_time = 25;  // beyond the object
  CHECK_THROWS_AS(io::type<of_run_time>.form(), io::invalid_layout);
}
