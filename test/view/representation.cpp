// Converters of representations, compared with one item at a time. One page because one converter
// of single items is the oracle of all cases.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/exchange/detail/converted_memory.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/layout.hpp>
#include <argosy/view/converter.hpp>
#include <argosy/view/detail/binary128.hpp>

#include "support/seed.hpp"
#include "view/representation_cases.hpp"

namespace io = argosy;
using io::extend::basic_type;
using namespace io::test;

namespace {

// The oracle of external32: converts one item by the words of the standard. The value must fit.
std::vector<std::byte> external_item(basic_type t, std::byte const* m) {
  std::vector<std::byte> file(
      static_cast<std::size_t>(io::detail::size_in(io::detail::external32_sizes, t)));
  std::size_t const native =
      static_cast<std::size_t>(io::detail::size_in(io::detail::native_sizes, t));
  if (t == basic_type::long_double) {
#ifdef __SIZEOF_FLOAT128__
    long double value;
    std::memcpy(&value, m, sizeof(value));
    __extension__ __float128 const q = value;
    std::array<std::byte, 16> bytes;
    std::memcpy(bytes.data(), &q, 16);
    for (std::size_t i = 0; i < 16; ++i) file[i] = bytes[15 - i];
#endif
    return file;
  }
  for (std::size_t i = 0; i < file.size(); ++i) {  // byte i from the least significant end
    std::size_t const place = std::endian::native == std::endian::little ? i : native - 1 - i;
    file[file.size() - 1 - i] = m[place];
  }
  return file;
}

// Makes values of a type that every representation can hold.
void fill(generator& g, basic_type t, std::byte* m) {
  auto const put = [&](auto value) { std::memcpy(m, &value, sizeof(value)); };
  switch (t) {
    case basic_type::boolean:
      return put(g.pick(0, 1) == 1);
    case basic_type::long_int:
      return put(static_cast<long>(g.pick(INT32_MIN, INT32_MAX)));
    case basic_type::unsigned_long:
      return put(static_cast<unsigned long>(g.pick(0, UINT32_MAX)));
    case basic_type::wide_character:
      return put(static_cast<wchar_t>(g.pick(0, 0xffff)));
    case basic_type::long_double: {
      std::memset(m, 0, sizeof(long double));
      long double const value =
          std::ldexp(static_cast<long double>(g.random()), static_cast<int>(g.pick(-16400, 16000)));
      std::memcpy(m, &value, LDBL_MANT_DIG == 64 ? 10 : sizeof(value));
      return;
    }
    default:
      for (std::int64_t i = 0; i < io::detail::size_in(io::detail::native_sizes, t); ++i)
        m[i] = static_cast<std::byte>(g.pick(0, 255));
  }
}

}  // namespace

TEST_CASE("external32 is big-endian, with the sizes of MPI's table",
          "[representation][external32]") {
  CHECK(hex(write(0x01020304)) == "01020304");
  CHECK(hex(write(std::uint16_t{0x0102})) == "0102");
  CHECK(hex(write(color::red)) == "0102");
  CHECK(hex(write(-5LL)) == "fffffffffffffffb");
  CHECK(hex(write(-5L)) == "fffffffb");
  CHECK(hex(write(1.5)) == "3ff8000000000000");
  CHECK(hex(write(1.5f)) == "3fc00000");
  CHECK(hex(write(1.5L)) == "3fff8000000000000000000000000000");
  CHECK(hex(write(true)) == "01");
  CHECK(hex(write(L'\u20ac')) == "20ac");
  CHECK(hex(write(std::complex<float>(1, 2))) == "3f80000040000000");
  CHECK(hex(write(std::array<char, 3>{'a', 'b', 'c'})) == "616263");
  CHECK(hex(write(particle{{1, 2, 3}, 4})) ==
        "3ff0000000000000"
        "4000000000000000"
        "4008000000000000"
        "00000004");
  CHECK(read<long>({std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xfb}}) == -5);
  CHECK(read<wchar_t>({std::byte{0xff}, std::byte{0xfe}}) == 0xfffe);
  // Every byte but 0 means true, and C++ reads 1.
  CHECK(std::bit_cast<std::uint8_t>(read<bool>({std::byte{0x80}})) == 1);
}

TEST_CASE("a value that four bytes cannot hold is told, and no other is touched",
          "[representation][error]") {
  if (sizeof(long) == 4) return;
  long const big = static_cast<long>(std::int64_t{1} << 31);
  CHECK(hex(write(std::array<long, 3>{1, big, -1}, io::external32, false)) ==
        "00000001"
        "80000000"
        "ffffffff");
  CHECK(hex(write(-big)) == "80000000");
  write(static_cast<unsigned long>(std::uint64_t{1} << 32), io::external32, false);
  write(static_cast<wchar_t>(0x1f600), io::external32, false);
  // A type of fixed width has that width in the file.
  std::int64_t const value = big;
  auto const m = io::memory(&value, io::detail::int64_type);
  io::extend::converter const c(io::external32, m.form(), m.types());
  std::vector<std::byte> file(8);
  CHECK(c.gather(m.address(), 0, 8, file.data()));
  CHECK(hex(file) == "0000000080000000");
}

#if LDBL_MANT_DIG == 64
TEST_CASE("long double: every bit pattern of the x87 that is a number goes to binary128 and back",
          "[representation]") {
  using argosy::detail::binary128, argosy::detail::x87;
  CAPTURE(argosy::test::seed());
  std::mt19937_64 random(argosy::test::seed());
  using limits = std::numeric_limits<long double>;
  std::vector<long double> values{0.0L,
                                  -0.0L,
                                  1.0L,
                                  -1.5L,
                                  limits::min(),
                                  limits::max(),
                                  limits::denorm_min(),
                                  -limits::denorm_min(),
                                  limits::infinity(),
                                  -limits::infinity(),
                                  limits::min() - limits::denorm_min(),
                                  limits::epsilon(),
                                  limits::quiet_NaN(),
                                  -limits::quiet_NaN(),
                                  std::nanl("4711")};
  for (int i = 0; i < 100000; ++i) {
    std::uint64_t significand = random() >> random() % 64;
    auto const exponent =
        static_cast<std::uint16_t>(i % 4 == 0 ? random() & 0x8000 : random() & 0xffff);
    if ((exponent & 0x7fff) == 0)
      significand &= ~(std::uint64_t{1} << 63);
    else
      significand |= std::uint64_t{1} << 63;
    long double value = 0;
    std::memcpy(&value, &significand, 8);
    std::memcpy(reinterpret_cast<std::byte*>(&value) + 8, &exponent, 2);
    values.push_back(value);
  }
  for (long double const value : values) {
    x87 from{};
    std::memcpy(&from.significand, &value, 8);
    std::memcpy(&from.sign_exponent, reinterpret_cast<std::byte const*>(&value) + 8, 2);
    binary128 const q = argosy::detail::to_binary128(from);
    bool fits = true;
    x87 const back = argosy::detail::to_x87(q, fits);
    REQUIRE(fits);
    REQUIRE(back == from);
    if (std::isnan(value)) {
      REQUIRE((q.high >> 48 & 0x7fff) == 0x7fff);
      REQUIRE(((q.high << 16) != 0 || q.low != 0));
      continue;
    }
#ifdef __SIZEOF_FLOAT128__
    __extension__ __float128 const wide = value;
    std::array<std::uint64_t, 2> bits;
    std::memcpy(bits.data(), &wide, 16);
    REQUIRE(q == binary128{bits[1], bits[0]});
#endif
  }
}

TEST_CASE("what is no number as binary128 is none as a long double, also where its bits do not fit",
          "[representation]") {
  bool fits = true;
  for (std::uint64_t const sign : {std::uint64_t{0}, std::uint64_t{1}}) {
    argosy::detail::x87 const x = argosy::detail::to_x87({(sign << 15 | 0x7fff) << 48, 4711}, fits);
    CHECK(x.sign_exponent == (sign << 15 | 0x7fff));
    CHECK(x.significand == std::uint64_t{3} << 62);
  }
  CHECK(fits);
}

#ifdef __SIZEOF_FLOAT128__
TEST_CASE("binary128 is rounded to what a long double holds as the compiler rounds it",
          "[representation]") {
  using argosy::detail::binary128, argosy::detail::x87;
  CAPTURE(argosy::test::seed());
  std::mt19937_64 random(argosy::test::seed());
  for (int i = 0; i < 200000; ++i) {
    std::uint64_t high = random(), low = random();
    if (i % 3 == 0) low = low >> 49 << 49 | (i % 2 == 0 ? std::uint64_t{1} << 48 : 0);  // ties
    if (i % 5 == 0) high &= 0x8000ffffffffffff;                                         // denormals
    if (i % 7 == 0) high |= 0xffffffffffff, low |= ~std::uint64_t{0} << 40;             // carries
    if (i % 35 == 0) high &= 0x8000ffffffffffff;
    if ((high >> 48 & 0x7fff) == 0x7fff) high ^= std::uint64_t{1} << 50;
    std::array<std::uint64_t, 2> const bits{low, high};
    __extension__ __float128 wide;
    std::memcpy(&wide, bits.data(), 16);
    long double const expected = static_cast<long double>(wide);
    bool fits = true;
    x87 const got = argosy::detail::to_x87({high, low}, fits);
    x87 want{};
    std::memcpy(&want.significand, &expected, 8);
    std::memcpy(&want.sign_exponent, reinterpret_cast<std::byte const*>(&expected) + 8, 2);
    CAPTURE(high, low);
    REQUIRE(got == want);
    REQUIRE(fits == !std::isinf(expected));
  }
}
#endif
#endif

TEST_CASE("any stretch of any stream converts as its items do, cut anywhere and in any order",
          "[representation]") {
  CAPTURE(argosy::test::seed());
  generator g;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    std::vector<basic_type> all;
    io::extend::signature s = g.signature(all, 2);
    auto const copies = g.pick(1, 400);  // more than a block
    io::extend::signature whole;
    whole.append(s, copies);
    std::vector<basic_type> const once = all;
    for (std::int64_t k = 1; k < copies; ++k) all.insert(all.end(), once.begin(), once.end());
    if (all.empty()) continue;

    // Memory is dense, or in pieces that cut items.
    bool const dense = g.pick(0, 1) == 0;
    std::int64_t const piece = g.pick(1, 40);
    std::int64_t const size = whole.size();
    io::layout const full = io::repeat(size / piece, piece + 3, io::bytes(piece));
    io::layout const rest = io::at(size / piece * (piece + 3), io::bytes(size % piece));
    io::layout const form = dense ? io::at(5, io::bytes(size)) : io::concat(full, rest);
    std::vector<std::byte> stream(static_cast<std::size_t>(size)), file;
    std::int64_t at = 0;
    for (basic_type t : all) {
      fill(g, t, stream.data() + at);
      auto const item = external_item(t, stream.data() + at);
      file.insert(file.end(), item.begin(), item.end());
      at += io::detail::size_in(io::detail::native_sizes, t);
    }
    std::vector<std::byte> memory(static_cast<std::size_t>(form.true_upper_bound()),
                                  std::byte{0xaa});
    io::unpack(form, stream.data(), memory.data());

    io::extend::converter const to_file(io::external32, form, whole);
    REQUIRE(to_file.file_size() == static_cast<std::int64_t>(file.size()));
    std::vector<std::int64_t> cuts{0, to_file.file_size()};
    for (auto n = g.pick(0, 12); n > 0; --n) cuts.push_back(g.pick(0, to_file.file_size()));
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::byte> got(file.size(), std::byte{0xbb});
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      REQUIRE(to_file.gather(memory.data(), cuts[i], cuts[i + 1], got.data() + cuts[i]));
    REQUIRE(got == file);

    std::vector<std::size_t> order(cuts.size() - 1);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), g.random);
    std::vector<std::byte> back(memory.size(), std::byte{0xaa});
    io::extend::converter from_file(io::external32, form, whole);
    for (std::size_t i : order)
      REQUIRE(from_file.scatter(file.data() + cuts[i], cuts[i], cuts[i + 1], back.data()));
    REQUIRE(back == memory);

    for (int k = 0; k < 20; ++k) {
      std::int64_t const p = g.pick(0, to_file.file_size());
      std::int64_t file_at = 0, memory_at = 0;
      for (basic_type t : all) {
        if (file_at + io::detail::size_in(io::detail::external32_sizes, t) > p) break;
        file_at += io::detail::size_in(io::detail::external32_sizes, t);
        memory_at += io::detail::size_in(io::detail::native_sizes, t);
      }
      REQUIRE(to_file.item_start(p) == file_at);
      REQUIRE(to_file.memory_position(p) == memory_at);
    }
  }
}

TEST_CASE("a value that does not fit is told with its last byte, cut anywhere and in any order",
          "[representation][error]") {
  CAPTURE(argosy::test::seed());
  // Each item has one byte more in the file, except bytes. Items that begin with a one do not fit.
  static constexpr auto file_size = [](basic_type t) {
    return io::detail::size_in(io::detail::native_sizes, t) + (t == basic_type::byte ? 0 : 1);
  };
  static constexpr auto copy = [](basic_type t, std::int64_t count, std::byte const* from,
                                  std::int64_t from_step, std::byte* to, std::int64_t to_step) {
    bool fits = true;
    for (; count-- > 0; from += from_step, to += to_step) {
      std::memcpy(to, from,
                  static_cast<std::size_t>(io::detail::size_in(io::detail::native_sizes, t)));
      fits = fits && *from != std::byte{1};
    }
    return fits;
  };
  io::extend::representation_functions wider;
  wider.file_bytes = file_size;
  wider.write = [](basic_type t, std::int64_t count, std::byte const* memory, std::byte* file) {
    return copy(t, count, memory, io::detail::size_in(io::detail::native_sizes, t), file,
                file_size(t));
  };
  wider.read = [](basic_type t, std::int64_t count, std::byte const* file, std::byte* memory) {
    return copy(t, count, file, file_size(t), memory,
                io::detail::size_in(io::detail::native_sizes, t));
  };
  io::extend::register_representation("wider", wider);
  io::representation const r = io::detail::find_representation("wider");

  generator g;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    std::vector<basic_type> once, all;
    io::extend::signature const s = g.signature(once, 2);
    auto const copies = g.pick(1, round % 3 == 0 ? 400 : 5);  // more than a block
    io::extend::signature whole;
    whole.append(s, copies);
    for (std::int64_t k = 0; k < copies; ++k) all.insert(all.end(), once.begin(), once.end());
    if (all.empty()) continue;

    auto const odd = static_cast<std::size_t>(g.pick(0, static_cast<std::int64_t>(all.size()) - 1));
    std::vector<std::byte> stream;
    std::int64_t low = 0, high = 0, end = 0;  // place of the odd item in the file
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::int64_t const size = io::detail::size_in(io::detail::native_sizes, all[i]);
      stream.insert(stream.end(), static_cast<std::size_t>(size),
                    i == odd ? std::byte{1} : static_cast<std::byte>(g.pick(2, 255)));
      if (i == odd) low = end, high = end + file_size(all[i]);
      end += file_size(all[i]);
    }
    bool const dense = g.pick(0, 1) == 0;
    io::layout const form =
        dense ? io::bytes(whole.size()) : io::repeat(whole.size(), 3, io::bytes(1));
    std::vector<std::byte> memory(static_cast<std::size_t>(form.true_upper_bound()),
                                  std::byte{0xaa});
    io::unpack(form, stream.data(), memory.data());

    // Some cuts in the odd item, and some anywhere.
    std::vector<std::int64_t> cuts{0, end};
    for (auto n = g.pick(0, 3); n > 0; --n) cuts.push_back(g.pick(0, end));
    for (auto n = g.pick(0, 2); n > 0; --n) cuts.push_back(g.pick(low, high));
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::size_t> order(cuts.size() - 1);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), g.random);

    io::extend::converter to_file(r, form, whole), from_file(r, form, whole);
    REQUIRE(to_file.file_size() == end);
    std::vector<std::byte> file(static_cast<std::size_t>(end)),
        back(memory.size(), std::byte{0xaa});
    for (std::size_t const i : order) {
      std::int64_t const from = cuts[i], to = cuts[i + 1];
      bool const touched = std::max(from, low) < std::min(to, high);
      REQUIRE(to_file.gather(memory.data(), from, to, file.data() + from) == !touched);
    }
    std::int64_t missing = high - low;
    for (std::size_t const i : order) {
      std::int64_t const from = cuts[i], to = cuts[i + 1];
      std::int64_t const here = std::max<std::int64_t>(0, std::min(to, high) - std::max(from, low));
      missing -= here;
      REQUIRE(from_file.scatter(file.data() + from, from, to, back.data()) ==
              (here == 0 || missing > 0));
    }
    REQUIRE(back == memory);
  }
}

TEST_CASE("one value that external32 cannot hold is told among any number of others",
          "[representation][error]") {
  if (sizeof(long) == 4) return;
  struct pair {
    long number;
    char letter;
  };
  auto const check = [](auto const& all, auto const& types, std::int64_t file_bytes) {
    auto const count = static_cast<std::int64_t>(all.size());
    auto const m = io::memory(all.data(), types, count);
    io::extend::converter const c(io::external32, m.form(), m.types());
    std::vector<std::byte> file(static_cast<std::size_t>(c.file_size()));
    REQUIRE(c.file_size() == count * file_bytes);
    return c.gather(m.address(), 0, c.file_size(), file.data());
  };
  for (std::size_t const count : {1u, 2u, 3u, 7u, 16u, 33u, 1000u, 5000u})
    for (std::size_t const odd : {std::size_t{0}, count / 3, count / 2, count - 1}) {
      CAPTURE(count, odd);
      std::vector<long> numbers(count, -5);
      std::vector<unsigned long> counts(count, 5);
      std::vector<wchar_t> letters(count, L'a');
      std::vector<std::array<long, 2>> rank_statistics(count, {-5, 0});
      std::vector<pair> pairs(count, {-5, 'a'});
      io::vector const every_second(1, 1, 1, io::resized(io::type<long>, 0, 16));
      auto const both = io::resized(
          io::record(io::member(0, io::type<long>), io::member(8, io::type<char>)), 0, 16);
      auto const none_is_odd = [&](bool fits) {
        CHECK(check(numbers, io::type<long>, 4) == fits);
        CHECK(check(counts, io::type<unsigned long>, 4) == fits);
        CHECK(check(letters, io::type<wchar_t>, 2) == fits);
        CHECK(check(rank_statistics, every_second, 4) == fits);
        CHECK(check(pairs, both, 5) == fits);
      };
      none_is_odd(true);
      numbers[odd] = rank_statistics[odd][0] = pairs[odd].number =
          static_cast<long>(std::int64_t{1} << 31);
      counts[odd] = static_cast<unsigned long>(std::uint64_t{1} << 32);
      letters[odd] = static_cast<wchar_t>(0x1f600);
      none_is_odd(false);
    }
}

TEST_CASE("a long request is converted through windows of a file", "[representation]") {
  std::vector<particle> from(5000), to(5000);
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto const x = static_cast<double>(i);
    from[i] = {{x, 2 * x, 3 * x}, static_cast<int>(i)};
  }
  auto const m = io::memory(from), n = io::memory(to);
  io::layout const file = io::repeat(28 * 5000 / 4, 12, io::bytes(4));  // cuts every double
  std::vector<std::byte> window(static_cast<std::size_t>(file.true_upper_bound()), std::byte{0xcc});
  io::detail::converted_memory out(io::external32, m.form(), m.types(), m.address());
  out.place(file, window.data(), 0, 0, 70'001);
  out.place(file, window.data(), 70'001, 70'001, file.size() - 70'001);
  CHECK(out.fits());
  CHECK(window[4] == std::byte{0xcc});
  CHECK(window[12 * 6 + 3] == std::byte{0});  // the first id
  io::detail::converted_memory in(io::external32, n.form(), n.types(), n.address());
  in.take(file, window.data(), 0, 0, 70'001);
  in.take(file, window.data(), 70'001, 70'001, file.size() - 70'001);
  CHECK(in.fits());
  for (std::size_t i = 0; i < to.size(); ++i)
    REQUIRE((to[i].x[2] == from[i].x[2] && to[i].id == from[i].id));
}

TEST_CASE("a value that does not fit is not forgotten when others follow",
          "[representation][error]") {
  std::vector<long> from(5000, 3);
  from[10] = std::numeric_limits<long>::max();
  auto const m = io::memory(from);
  std::vector<std::byte> file(20'000);
  io::detail::converted_memory out(io::external32, m.form(), m.types(), m.address()), placed = out;
  if (sizeof(long) == 4) return;
  for (std::int64_t at = 0; at < 20'000; at += 1000) {
    out.gather(at, at + 1000, file.data() + at);
    CHECK_FALSE(out.fits());
  }
  placed.place(io::bytes(20'000), file.data(), 0, 0, 20'000);
  CHECK_FALSE(placed.fits());
#if LDBL_MANT_DIG == 64
  std::vector<long double> wide(2000);
  auto const n = io::memory(wide);
  std::vector<std::byte> numbers(32'000);
  numbers[160] = std::byte{0x7f}, numbers[161] = std::byte{0xfe};
  std::fill_n(numbers.begin() + 162, 14, std::byte{0xff});  // larger than all of a long double
  io::detail::converted_memory in(io::external32, n.form(), n.types(), n.address()), taken = in;
  for (std::int64_t at = 0; at < 32'000; at += 1000) {
    in.scatter(numbers.data() + at, at, at + 1000);
    CHECK_FALSE(in.fits());
  }
  taken.take(io::bytes(32'000), numbers.data(), 0, 0, 32'000);
  CHECK_FALSE(taken.fits());
#endif
}
