// The constructors, compared with MPI's type maps, written out one element at a time. One page
// because each constructor is compared with the same type maps.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/layout.hpp>

#include "support/allocations.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using Catch::Contains;

namespace {

using list = std::vector<std::int64_t>;

// A type map as the MPI standard writes it: bytes in order, and the bounds.
struct map {
  list bytes;
  std::int64_t low = std::numeric_limits<std::int64_t>::max(),
               high = std::numeric_limits<std::int64_t>::min();

  bool bounded() const { return low <= high; }
  std::int64_t extent() const { return bounded() ? high - low : 0; }
  void add(std::int64_t displacement, map const& part) {
    for (auto b : part.bytes) bytes.push_back(displacement + b);
    // Here a layout is simpler than MPI: a part without bytes and without extent has no bounds,
    // even if markers were set.
    if (!part.bounded() || (part.bytes.empty() && part.extent() == 0)) return;
    low = std::min(low, displacement + part.low);
    high = std::max(high, displacement + part.high);
  }
  static map leaf(std::int64_t n) {
    map m;
    for (std::int64_t b = 0; b < n; ++b) m.bytes.push_back(b);
    m.low = 0;
    m.high = n;
    return m;
  }
};

map blocks(list const& lengths, list const& displacements, std::int64_t unit, map const& old) {
  map m;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (std::int64_t k = 0; k < lengths[i]; ++k)
      m.add(displacements[i] * unit + k * old.extent(), old);
  return m;
}

map box(list const& sizes, list const& subsizes, list const& starts, io::order order,
        map const& old) {
  std::size_t const d = sizes.size();
  map m;
  std::int64_t whole = 1, chosen = 1;
  for (auto n : sizes) whole *= n;
  for (auto n : subsizes) chosen *= n;
  for (std::int64_t linear = 0; linear < chosen; ++linear) {
    std::int64_t rest = linear, place = 0, stride = 1;
    for (std::size_t k = 0; k < d; ++k) {
      std::size_t const i = order == io::order::c ? d - 1 - k : k;
      place += (starts[i] + rest % subsizes[i]) * stride;
      rest /= subsizes[i];
      stride *= sizes[i];
    }
    m.add(place * old.extent(), old);
  }
  m.low = 0;
  m.high = whole * old.extent();
  return m;
}

bool agree(io::layout const& form, map const& m) {
  list bytes;
  for (io::extend::cursor at(form); !at.done(); at.next())
    for (std::int64_t b = at.current().offset; b < at.current().end(); ++b) bytes.push_back(b);
  CHECK(form.lower_bound() == (m.bounded() ? m.low : 0));
  CHECK(form.extent() == m.extent());
  CHECK(bytes == m.bytes);
  return bytes == m.bytes && form.extent() == m.extent() &&
         form.lower_bound() == (m.bounded() ? m.low : 0);
}

struct generator {
  std::mt19937_64 random;
  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution(from, to)(random);
  }
  list some(std::size_t n, std::int64_t from, std::int64_t to) {
    list l(n);
    for (auto& x : l) x = pick(from, to);
    return l;
  }

  // Puts a random constructor around `form`, and around its type map.
  void wrap(io::layout& form, map& m) {
    switch (pick(0, 8)) {
      case 0: {
        auto const n = pick(0, 4);
        m = blocks({n}, {0}, 1, m);
        form = io::contiguous(n, form).form();
        break;
      }
      case 1:
      case 2: {
        auto const n = pick(0, 4), b = pick(0, 3), s = pick(-4, 5);
        bool const h = pick(0, 1) == 1;
        list starts;
        for (std::int64_t i = 0; i < n; ++i) starts.push_back(i * s);
        m = blocks(list(static_cast<std::size_t>(n), b), starts, h ? 1 : m.extent(), m);
        form = h ? io::hvector(n, b, s, form).form() : io::vector(n, b, s, form).form();
        break;
      }
      case 3:
      case 4: {
        auto const n = static_cast<std::size_t>(pick(0, 5));
        list const lengths = some(n, 0, 3), places = some(n, -6, 9);
        bool const h = pick(0, 1) == 1;
        m = blocks(lengths, places, h ? 1 : m.extent(), m);
        form = h ? io::hindexed(lengths, places, form).form()
                 : io::indexed(lengths, places, form).form();
        break;
      }
      case 5: {
        auto const n = static_cast<std::size_t>(pick(0, 5));
        auto const b = pick(0, 3);
        list const places = some(n, -6, 9);
        bool const h = pick(0, 1) == 1;
        m = blocks(list(n, b), places, h ? 1 : m.extent(), m);
        form = h ? io::hindexed_block(b, places, form).form()
                 : io::indexed_block(b, places, form).form();
        break;
      }
      case 6: {
        auto const a = pick(-9, 9), b = pick(-9, 9), n = pick(0, 2);
        map together;
        together.add(a, m);
        together.add(b, blocks({n}, {0}, 1, map::leaf(4)));
        form = pick(0, 1) == 0
                   ? io::record(io::member(a, form), io::member(b, io::type<int>, n)).form()
                   : io::record({std::int64_t{1}, n}, {a, b}, form, io::type<int>).form();
        m = together;
        break;
      }
      case 7: {
        auto const d = static_cast<std::size_t>(pick(1, 3));
        list const sizes = some(d, 1, 4);
        list subsizes, starts;
        for (auto n : sizes) {
          subsizes.push_back(pick(1, n));
          starts.push_back(pick(0, n - subsizes.back()));
        }
        auto const order = pick(0, 1) == 0 ? io::order::c : io::order::fortran;
        m = box(sizes, subsizes, starts, order, m);
        form = io::subarray(sizes, subsizes, starts, form, order).form();
        break;
      }
      default: {
        auto const low = pick(-4, 4), extent = pick(0, 20);
        m.low = low;
        m.high = low + extent;
        form = io::resized(form, low, extent);
      }
    }
  }
};

// --- what the compiler flattens ---

using io::constant;
constexpr io::extend::element<double> real{};

constexpr io::subarray core(io::list(constant<66>, constant<66>, constant<66>),
                            io::list(constant<64>, constant<64>, constant<64>),
                            io::list(constant<1>, constant<1>, constant<1>), real);
static_assert(core.is_static && std::is_empty_v<decltype(core)>);
static_assert(core.form().nodes().size() == 3,
              "a 3-D interior of doubles is one two-level repeat around a row");
static_assert(core.form().nodes()[0].size == 64 * 8 && core.form().pieces() == 64 * 64);

constexpr io::subarray rows(io::list(constant<66>, constant<66>, constant<66>),
                            io::list(constant<64>, constant<64>, constant<66>),
                            io::list(constant<1>, constant<1>, constant<0>), real);
static_assert(rows.form().nodes().size() == 2 && rows.form().pieces() == 64,
              "full rows merge into planes' middles");
constexpr io::subarray planes(io::list(constant<66>, constant<66>, constant<66>),
                              io::list(constant<64>, constant<66>, constant<66>),
                              io::list(constant<1>, constant<0>, constant<0>), real);
static_assert(planes.form().is_contiguous(), "full planes merge into one leaf");

constexpr io::record dense(io::member(constant<0>, real, constant<3>),
                           io::member(constant<24>, io::type<std::int64_t>));
static_assert(dense.is_static && std::is_empty_v<decltype(dense)> && dense.form() == io::bytes(32),
              "a record without padding is one leaf");
static_assert(io::record(io::list(constant<3>, constant<1>), io::list(constant<0>, constant<24>),
                         real, io::type<std::int64_t>)
                  .form() == io::bytes(32));
static_assert(io::contiguous(constant<1>, io::vector(constant<4>, constant<2>, constant<2>, real))
                  .form() == io::bytes(64));
static_assert(io::indexed(io::list(constant<2>, constant<1>), io::list(constant<0>, constant<5>),
                          real)
                  .is_static);
static_assert(io::resized(real, constant<0>, constant<16>).is_static);

// A single number at run time makes the datatype dynamic. The other numbers stay in the type.
static_assert(!io::vector(constant<4>, 2, constant<2>, real).is_static);
static_assert(sizeof(io::vector(constant<4>, 2, constant<2>, real)) == sizeof(std::int64_t));
static_assert(!io::contiguous(constant<2>, io::layout()).is_static);
static_assert(io::datatype<io::layout> && io::datatype<decltype(core)> && !io::datatype<double>);

// Sizes beyond 2^31 cost nothing.
constexpr std::int64_t huge = std::int64_t{1} << 40;
static_assert(io::vector(constant<huge>, constant<1>, constant<3>, real).form().extent() ==
              (3 * (huge - 1) + 1) * 8);
static_assert(io::subarray(io::list(constant<huge>, constant<1 << 15>),
                           io::list(constant<huge>, constant<1>),
                           io::list(constant<0>, constant<7>), real)
                  .form()
                  .pieces() == huge);

}  // namespace

TEST_CASE("nested constructors give MPI's type map, bytes and bounds", "[datatype]") {
  CAPTURE(argosy::test::seed());
  generator g{std::mt19937_64(argosy::test::seed())};
  for (int round = 0; round < 4000; ++round) {
    auto const n = g.pick(1, 6);
    io::layout form = io::bytes(n);
    map m = map::leaf(n);
    for (auto depth = g.pick(1, 3); depth > 0 && m.bytes.size() < 2000; --depth) g.wrap(form, m);
    CAPTURE(round);
    if (!agree(form, m)) FAIL("another type map");
  }
}

TEST_CASE("blocks without elements count for nothing, not even for the bounds", "[datatype]") {
  CHECK(io::indexed({0, 2, 0}, {-100, 1, 100}, io::type<int>).form() == io::at(4, io::bytes(8)));
  CHECK(io::contiguous(0, io::type<int>).form() == io::layout());
  CHECK(io::record(io::member(50, io::type<int>, 0), io::member(8, io::type<int>)).form() ==
        io::at(8, io::bytes(4)));
}

TEST_CASE(
    "lists come as braces, arrays, spans, vectors of any integer, or mixed with fixed numbers",
    "[datatype]") {
  io::layout const expected = io::indexed({2, 1}, {0, 5}, io::type<int>).form();
  std::vector<int> const lengths{2, 1};
  std::array<std::size_t, 2> const places{0, 5};
  CHECK(io::indexed(lengths, places, io::type<int>).form() == expected);
  CHECK(io::indexed(std::span(lengths), std::span(places), io::type<int>).form() == expected);
  CHECK(io::indexed(io::list(2, io::constant<1>), io::list(io::constant<0>, 5u), io::type<int>)
            .form() == expected);
  std::size_t const nx = 4;
  CHECK(io::subarray({nx, nx}, {2, 2}, {1, 1}, io::type<char>).form() ==
        io::subarray(io::list(nx, 4), lengths.empty() ? lengths : std::vector<int>{2, 2},
                     std::array{1, 1}, io::type<char>)
            .form());
  std::vector<io::layout> const parts{io::bytes(4), io::bytes(1)};
  CHECK(io::record_of(lengths, places, parts) ==
        io::record(lengths, places, io::type<int>, io::type<char>).form());
}

TEST_CASE("a list in braces may mix integers of any type", "[datatype]") {
  std::int64_t const n = 8, low = 1;
  int const m = 4;
  std::size_t const wide = 2;
  io::layout const box = io::subarray({8, 4}, {2, 4}, {1, 0}, io::type<double>).form();
  CHECK(io::subarray({n, m}, {wide, n / 2}, {low, 0}, io::type<double>).form() == box);
  CHECK(io::subarray({m, n}, {4 * low, wide}, {0, low}, io::type<double>, io::order::fortran)
            .form() == box);
  CHECK(io::indexed({2, low, wide}, {0, n, 20}, io::type<float>).form() ==
        io::indexed({2, 1, 2}, {0, 8, 20}, io::type<float>).form());
  CHECK(io::hindexed({2, low}, {0, n}, io::type<float>).form() ==
        io::hindexed({2, 1}, {0, 8}, io::type<float>).form());
  CHECK(io::indexed_block(1, {0, n}, io::type<float>).form() ==
        io::indexed_block(1, {0, 8}, io::type<float>).form());
  CHECK(io::hindexed_block(1, {0, n}, io::type<float>).form() ==
        io::hindexed_block(1, {0, 8}, io::type<float>).form());
  CHECK(io::record({low, 2}, {0, n}, io::type<double>, io::type<int>).form() ==
        io::record({1, 2}, {0, 8}, io::type<double>, io::type<int>).form());
  CHECK(io::darray({n, m}, io::distribute::block, io::process_grid(4, 2), 1, io::type<double>)
            .form() ==
        io::darray<double, 2>({8, 4}, io::distribute::block, io::process_grid(4, 2), 1).form());
  CHECK_THROWS_WITH(io::subarray({n, ~0ull}, {m, wide}, {0, low}, io::type<double>).form(),
                    Contains("2^63"));
}

TEST_CASE("what cannot be is refused with its name, number and remedy", "[datatype][error]") {
  auto const real_type = io::type<double>;
  CHECK_THROWS_WITH(io::contiguous(-3, real_type).form(),
                    Contains("argosy::contiguous") && Contains("-3"));
  CHECK_THROWS_WITH(io::vector(2, -1, 4, real_type).form(),
                    Contains("argosy::vector: the block length is -1"));
  CHECK_THROWS_WITH(io::hvector(-2, 1, 4, real_type).form(),
                    Contains("argosy::hvector: the count is -2"));
  CHECK_THROWS_WITH(io::indexed({1, -1}, {0, 1}, real_type).form(),
                    Contains("argosy::indexed: block length[1] is -1"));
  CHECK_THROWS_WITH(io::hindexed(list{1, 1}, list{0}, real_type).form(),
                    Contains("2 block lengths but 1 displacements"));
  CHECK_THROWS_WITH(io::indexed_block(-1, {0}, real_type).form(),
                    Contains("argosy::indexed_block"));
  CHECK_THROWS_WITH(io::member(0, real_type, -1).form(), Contains("argosy::member"));
  CHECK_THROWS_WITH(io::record(list{1}, list{0, 1}, real_type).form(),
                    Contains("1 types but 2 displacements"));
  CHECK_THROWS_WITH(io::subarray({4, 4}, {2, 3}, {0, 2}, real_type).form(),
                    Contains("start[1] = 2") && Contains("subsize[1] = 3") &&
                        Contains("size[1] = 4") && Contains("move or shrink"));
  CHECK_THROWS_WITH(io::subarray(list{4, 4}, list{2}, list{0, 2}, real_type).form(),
                    Contains("2 sizes but 1 subsizes"));
  CHECK_THROWS_WITH(io::subarray(list{4, 4}, list{2, 2}, list{0}, real_type).form(),
                    Contains("2 sizes but 1 starts"));
  CHECK_THROWS_WITH(io::subarray({4, -4}, {2, 3}, {0, 2}, real_type).form(),
                    Contains("size[1] is -4"));
  // Wrapped, they would be negative counts. As strides and places they would look valid.
  auto const too_large = std::numeric_limits<std::uint64_t>::max();
  CHECK_THROWS_AS(io::contiguous(too_large, real_type).form(), io::invalid_layout);
  CHECK_THROWS_WITH(io::vector(2, 1, too_large, real_type).form(), Contains("exceeds 2^63 - 1"));
  CHECK_THROWS_WITH(
      io::indexed(list{1, 1}, std::vector<std::uint64_t>{0, too_large}, real_type).form(),
      Contains("exceeds 2^63 - 1"));
  CHECK_THROWS_WITH(io::contiguous(3, io::resized(real_type, 0, too_large)).form(),
                    Contains("exceeds 2^63 - 1"));
  CHECK_THROWS_WITH(io::member(too_large, real_type).form(), Contains("exceeds 2^63 - 1"));
  CHECK_THROWS_WITH(
      io::subarray(list{4, 4}, list{2, 2}, std::array<std::uint64_t, 2>{0, too_large}, real_type)
          .form(),
      Contains("exceeds 2^63 - 1"));
  CHECK_THROWS_AS(io::contiguous(std::numeric_limits<std::int64_t>::max(), real_type).form(),
                  io::invalid_layout);
}

TEST_CASE("a datatype that cannot be is kept, copied and nested, and throws whenever it is asked",
          "[datatype][error]") {
  auto const bad = io::vector(2, -1, 4, io::type<double>);
  auto const nested = io::contiguous(3, io::record(io::member(8, bad)));
  auto const copy = nested;
  CHECK_THROWS_WITH(copy.form(), Contains("argosy::vector: the block length is -1"));
  // the first of the two mistakes
  CHECK_THROWS_WITH(io::contiguous(-3, bad).form(), Contains("argosy::vector"));
  CHECK_THROWS_WITH(io::detail::signature_of(copy), Contains("argosy::vector"));
  CHECK_THROWS_WITH(io::detail::types_of_copies(bad, 2), Contains("argosy::vector"));
  CHECK_THROWS_WITH(io::detail::file_form_of(copy, io::detail::external32_sizes),
                    Contains("argosy::vector"));
  CHECK_THROWS_WITH(io::flatten(bad), Contains("argosy::vector"));
  CHECK(sizeof bad == 3 * sizeof(std::int64_t));
  double data[8] = {};
  io::buffer const none = io::memory(data, bad, 2);
  io::const_buffer const same = none;
  CHECK_THROWS_WITH(none.form(), Contains("argosy::vector"));
  CHECK_THROWS_WITH(same.types(), Contains("argosy::vector"));
  CHECK_THROWS_WITH(io::const_buffer(same).size(), Contains("argosy::vector"));
  CHECK_THROWS_WITH(io::memory(data, io::type<double>, -1).form(),
                    Contains("argosy::repeat: the count is -1"));
}

TEST_CASE("a mistake in a constant expression stays one of the compiler", "[datatype][error]") {
  constexpr auto can_be = [](auto count) {
    return requires {
      typename std::bool_constant<(io::contiguous(decltype(count)::value, io::type<int>), true)>;
    };
  };
  STATIC_REQUIRE(can_be(io::constant<3>));
  STATIC_REQUIRE_FALSE(can_be(io::constant<-3>));
}

TEST_CASE("a list of numbers of another length is no list", "[datatype][error]") {
  std::vector<int> const two{4, 4};
  io::numbers<3> const three(two);
  CHECK_THROWS_WITH(
      io::subarray(three, io::numbers<3>(1, 1, 1), io::numbers<3>(0, 0, 0), io::type<int>).form(),
      Contains("a list of 3 numbers is needed, but 2 are given"));
}

TEST_CASE("describing and flattening regular data takes nothing from the heap",
          "[datatype][allocations]") {
  std::int64_t const n = 40;
  std::vector<double> const data(8);
  std::vector<int> const sizes{40, 30, 20}, zeros{0, 0, 0};
  argosy::allocation_count const count;
  std::int64_t bytes = io::vector(n, 2, 3, io::type<double>).form().size();
  bytes +=
      io::subarray({n, n, n}, {n - 2, n - 2, n - 2}, {1, 1, 1}, io::type<double>).form().size();
  bytes += io::subarray(sizes, sizes, zeros, io::contiguous(n, io::type<float>)).form().size();
  io::process_grid const grid(24, 3);
  for (int rank = 0; rank < 24; ++rank)
    bytes += io::darray<double, 3>({n, n, n + 1}, io::distribute::cyclic(3), grid, rank,
                                   io::order::fortran)
                 .form()
                 .size();
  bytes += io::record(io::member(0, io::type<double>, n), io::member(8 * n, io::type<int>))
               .form()
               .size();
  bytes += io::memory(data).size();
  CHECK(count.since() == 0);
  CHECK(bytes > 0);
}

namespace {
struct padded {
  double x;
  std::int32_t id;
};
}  // namespace
template <>
struct argosy::describe<padded> : argosy::members<&padded::x, &padded::id> {};

TEST_CASE("no copies of a signature, and copies of none, add nothing", "[datatype]") {
  io::extend::signature all(io::extend::basic_type::int32, 2);
  all.append(io::extend::signature(io::extend::basic_type::float64), 0)
      .append(io::extend::signature(), 3);
  CHECK(all == io::extend::signature(io::extend::basic_type::int32, 2));
  CHECK(io::extend::signature().append(all, 0).empty());
  CHECK(io::extend::signature(io::extend::basic_type::int32, 0).empty());
}

TEST_CASE("a packed record has the data of the record and no holes", "[datatype]") {
  auto const one = io::packed(io::type<padded>);
  STATIC_REQUIRE(one.form() == io::bytes(12));
  STATIC_REQUIRE(std::is_empty_v<decltype(one)>);
  CHECK(io::contiguous(5, one).form() == io::bytes(60));
  CHECK(io::detail::signature_of(io::contiguous(5, one)) ==
        io::detail::signature_of(io::contiguous(5, io::type<padded>)));
  CHECK(to_string(io::detail::signature_of(one)) == "float64, int32");
  CHECK(io::packed(io::record(io::member(0, io::type<long>), io::member(64, io::type<long>, 3)))
            .form() == io::bytes(32));
  // In external32 a long has 4 bytes.
  CHECK(io::detail::file_form_of(io::packed(io::type<long[3]>), io::detail::external32_sizes) ==
        io::bytes(12));
  CHECK(io::packed(io::members<&padded::id>{}).form() == io::bytes(4));
  CHECK(io::packed(io::vector(3, 1, 4, io::type<float>)).form() == io::bytes(12));
  CHECK_THROWS_WITH(io::packed(io::contiguous(-1, io::type<float>)).form(),
                    Contains("argosy::contiguous"));
}

TEST_CASE("a member of a record may be given by its pointer", "[datatype]") {
  CHECK(io::member(&padded::id, io::type<std::int32_t>).form() == io::at(8, io::bytes(4)));
  CHECK(io::member(&padded::x, io::type<std::byte>, 8).form() == io::bytes(8));
  struct row {
    int n;
    double u[4];
  };
  CHECK(io::member(&row::u, io::type<double>, 4).form() == io::at(8, io::bytes(32)));
}

TEST_CASE("a member of a record holds so many copies and no more", "[datatype][error]") {
  struct row {
    int n;
    double u[4];
  };
  CHECK_THROWS_WITH(
      io::member(&row::u, io::type<double>, 5).form(),
      Contains("argosy::member: 5 copies of 8 bytes reach beyond the member, which has 32"));
  CHECK(io::member(&row::u, io::type<double>, 3).form() == io::at(8, io::bytes(24)));
  CHECK(io::member(&row::u, io::type<double>, 0).form().empty());
  CHECK_THROWS_WITH(io::record(io::member(&row::n, io::contiguous(2, io::type<int>))).form(),
                    Contains("which has 4"));
  // a plain offset: the types there are unknown
  CHECK(io::member(8, io::type<double>, 5).form() == io::at(8, io::bytes(40)));
}
