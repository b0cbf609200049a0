// Signatures, forms in the file, and converters, against one item at a time.
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
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/datatype/aggregate.hpp>
#include <argosy/datatype/detail/type_digest.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/exchange/detail/converted_memory.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/layout.hpp>
#include <argosy/view/converter.hpp>
#include <argosy/view/view.hpp>

#include "support/seed.hpp"

namespace io = argosy;
using Catch::Contains;
using io::basic;

namespace {

struct particle {
  double x[3];
  int id;
};
struct mixed {
  char tag;
  long count;
  std::complex<float> z;
  std::array<short, 3> s;
  long double wide;
  bool flag;
  wchar_t letter;
};
enum class color : std::uint16_t { red = 0x0102 };
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
  static constexpr signature types() { return signature(basic::uint64); }
};

namespace {

template <class D>
std::string types(D const& d) {
  auto const s = io::signature_of(d);
  CHECK(s.size() == io::form_of(d).size());
  return to_string(s);
}
template <class D>
io::layout external(D const& d) {
  return io::file_form_of(d, io::external32_sizes);
}

// The types one by one.
std::vector<basic> expanded(io::signature const& s) {
  std::vector<basic> all;
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

struct generator {
  std::mt19937_64 random{argosy::test::seed()};
  std::int64_t pick(std::int64_t from, std::int64_t to) { return std::uniform_int_distribution(from, to)(random); }
  basic any_basic() { return static_cast<basic>(pick(0, io::basic_count - 1)); }
  // And the same, one by one.
  io::signature signature(std::vector<basic>& all, int depth) {
    io::signature s;
    for (auto n = pick(1, 4); n > 0; --n) {
      std::vector<basic> part;
      io::signature one;
      if (depth > 0 && pick(0, 1) == 0) {
        one = signature(part, depth - 1);
      } else {
        basic const t = any_basic();
        one = io::signature(t);
        part = {t};
      }
      auto const copies = pick(0, 5);
      s.append(one, copies);
      for (std::int64_t k = 0; k < copies; ++k) all.insert(all.end(), part.begin(), part.end());
    }
    return s;
  }
};

// One item, in the words of the standard; the value must fit. The oracle of external32.
std::vector<std::byte> external_item(basic t, std::byte const* m) {
  std::vector<std::byte> file(static_cast<std::size_t>(io::size_in(io::external32_sizes, t)));
  std::size_t const native = static_cast<std::size_t>(io::size_in(io::native_sizes, t));
  if (t == basic::long_double) {
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

// Values of a type that every representation can hold.
void fill(generator& g, basic t, std::byte* m) {
  auto const put = [&](auto value) { std::memcpy(m, &value, sizeof(value)); };
  switch (t) {
    case basic::boolean:
      return put(g.pick(0, 1) == 1);
    case basic::long_int:
      return put(static_cast<long>(g.pick(INT32_MIN, INT32_MAX)));
    case basic::unsigned_long:
      return put(static_cast<unsigned long>(g.pick(0, UINT32_MAX)));
    case basic::wide_character:
      return put(static_cast<wchar_t>(g.pick(0, 0xffff)));
    case basic::long_double: {
      std::memset(m, 0, sizeof(long double));
      long double const value =
          std::ldexp(static_cast<long double>(g.random()), static_cast<int>(g.pick(-16400, 16000)));
      std::memcpy(m, &value, LDBL_MANT_DIG == 64 ? 10 : sizeof(value));
      return;
    }
    default:
      for (std::int64_t i = 0; i < io::size_in(io::native_sizes, t); ++i) m[i] = static_cast<std::byte>(g.pick(0, 255));
  }
}

template <class T>
std::vector<std::byte> write(T const& value, io::representation const& r = io::external32, bool fits = true) {
  auto const m = io::memory(value);
  io::converter const c(r, m.form(), m.types());
  std::vector<std::byte> file(static_cast<std::size_t>(c.file_size()));
  bool const all_fit = c.gather(m.address(), 0, c.file_size(), file.data());  // outside: CHECK would catch
  CHECK(all_fit == fits);
  return file;
}
template <class T>
T read(std::vector<std::byte> const& file, io::representation const& r = io::external32, bool fits = true) {
  T value{};
  auto const m = io::memory(value);
  io::converter c(r, m.form(), m.types());
  bool const all_fit = c.scatter(file.data(), 0, c.file_size(), m.address());
  CHECK(all_fit == fits);
  return value;
}
std::string hex(std::vector<std::byte> const& bytes) {
  std::string text;
  for (std::byte b : bytes) {
    text += "0123456789abcdef"[static_cast<std::size_t>(b) >> 4];
    text += "0123456789abcdef"[static_cast<std::size_t>(b) & 15];
  }
  return text;
}

}  // namespace

TEST_CASE("the signature of a datatype is its types in compressed form", "[representation][signature]") {
  CHECK(types(io::type<double>) == "float64");
  CHECK(types(io::type<std::byte>) == "byte");
  CHECK(types(io::type<color>) == "uint16");
  CHECK(types(io::type<long>) == "long");
  CHECK(types(io::type<long long>) == "int64");
  CHECK(types(io::int64_type) == "int64");
  CHECK(types(io::type<std::complex<float>>) == "2 float32");
  CHECK(types(io::type<double[2][3]>) == "6 float64");
  CHECK(types(io::type<std::array<particle, 4>>) == "4 x (3 float64, int32)");
  CHECK(types(io::type<particle>) == "3 float64, int32");
  CHECK(types(io::type<chosen>) == "float32, float64");
  CHECK(types(io::type<std::pair<int, double>>) == "int32, float64");
  CHECK(types(io::type<mixed>) == "character, long, 2 float32, 3 int16, long double, boolean, wide character");
  CHECK(types(io::contiguous(5, io::type<particle>)) == "5 x (3 float64, int32)");
  CHECK(types(io::vector(4, 2, 7, io::type<int>)) == "8 int32");
  CHECK(types(io::hvector(4, 2, 70, io::type<particle>)) == "8 x (3 float64, int32)");
  CHECK(types(io::indexed({2, 0, 1}, {0, 7, 9}, io::type<float>)) == "3 float32");
  CHECK(types(io::hindexed({2, 1}, {0, 90}, io::type<float>)) == "3 float32");
  CHECK(types(io::indexed_block(3, {0, 7, 9}, io::type<float>)) == "9 float32");
  CHECK(types(io::hindexed_block(3, {0, 70}, io::type<float>)) == "6 float32");
  CHECK(types(io::subarray({8, 9}, {2, 3}, {1, 1}, io::type<short>)) == "6 int16");
  CHECK(types(io::darray<float, 2>({100, 90}, io::distribute::cyclic(3), io::list(3, 4), 7)) == "693 float32");
  CHECK(types(io::resized(io::type<int>, 0, 16)) == "int32");
  CHECK(types(io::record(io::member(0, io::type<double>, 3), io::member(32, io::type<int>))) == "3 float64, int32");
  CHECK(types(io::record({2, 1}, {0, 32}, io::type<particle>, io::type<int>)) == "2 x (3 float64, int32), int32");
  CHECK(types(io::contiguous(0, io::type<int>)).empty());
  // Data without types is bytes.
  CHECK(types(io::bytes(12)) == "12 byte");
  CHECK(types(io::flatten(io::contiguous(io::c<2>, io::type<double>))) == "16 byte");
  CHECK(types(io::type<opaque>) == "8 byte");
  CHECK(types(io::type<typed_by_hand>) == "uint64");
  static_assert(io::signature_of(io::contiguous(io::c<1'000'000'000'000>, io::type<particle>)).nodes().size() == 3);
}

TEST_CASE("buffers know their types", "[representation][signature]") {
  std::vector<particle> const particles(7);
  CHECK(to_string(io::memory(particles).types()) == "7 x (3 float64, int32)");
  double const scalar = 1;
  CHECK(to_string(io::memory(scalar).types()) == "float64");
  CHECK(to_string(io::memory(static_cast<void const*>(&scalar), io::contiguous(3, io::type<short>), 4).types()) ==
        "12 int16");
  io::const_buffer const copied = io::memory(particles);
  CHECK(copied.types() == io::memory(particles).types());
  std::byte raw[8];
  CHECK(to_string(io::buffer{raw, io::bytes(8)}.types()) == "8 byte");
}

TEST_CASE("signatures built in pieces name the same types in the same order", "[representation][signature]") {
  CAPTURE(argosy::test::seed());
  generator g;
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    std::vector<basic> all;
    io::signature const s = g.signature(all, 3);
    std::int64_t bytes = 0, external_bytes = 0;
    for (basic t : all) {
      bytes += io::size_in(io::native_sizes, t);
      external_bytes += io::size_in(io::external32_sizes, t);
    }
    REQUIRE(expanded(s) == all);
    REQUIRE(s.size() == bytes);
    REQUIRE(s.size_with(io::external32_sizes) == external_bytes);
  }
}

TEST_CASE("in the file, constructors work on external extents and bytes stay bytes", "[representation][external32]") {
  std::int64_t const l = 4;  // of a long
  CHECK(external(io::type<long>) == io::bytes(4));
  CHECK(external(io::type<wchar_t>) == io::bytes(2));
  CHECK(external(io::type<long double>) == io::bytes(16));
  CHECK(external(io::contiguous(5, io::type<long>)) == io::bytes(20));
  CHECK(external(io::type<long[2][3]>) == io::bytes(24));
  CHECK(external(io::type<std::array<long, 3>>) == io::bytes(12));
  CHECK(external(io::vector(4, 2, 7, io::type<long>)) == io::vector(4, 2, 7, io::bytes(l)).form());
  CHECK(external(io::hvector(4, 2, 70, io::type<long>)) == io::hvector(4, 2, 70, io::bytes(l)).form());
  CHECK(external(io::indexed({2, 1}, {0, 7}, io::type<long>)) == io::indexed({2, 1}, {0, 7}, io::bytes(l)).form());
  CHECK(external(io::hindexed({2, 1}, {0, 70}, io::type<long>)) == io::hindexed({2, 1}, {0, 70}, io::bytes(l)).form());
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
  // All constructors are their own external form where no size changes.
  CHECK(external(io::darray<double, 2>({9, 9}, io::distribute::block, io::list(2, 2), 3)) ==
        io::darray<double, 2>({9, 9}, io::distribute::block, io::list(2, 2), 3).form());
}

TEST_CASE("external32 is big-endian, with the sizes of MPI's table", "[representation][external32]") {
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
  // Every byte but 0 is true, and C++ reads 1.
  CHECK(std::bit_cast<std::uint8_t>(read<bool>({std::byte{0x80}})) == 1);
}

TEST_CASE("a value that four bytes cannot hold is told, and no other is touched", "[representation][error]") {
  if (sizeof(long) == 4) return;
  long const big = static_cast<long>(std::int64_t{1} << 31);
  CHECK(hex(write(std::array<long, 3>{1, big, -1}, io::external32, false)) ==
        "00000001"
        "80000000"
        "ffffffff");
  CHECK(hex(write(-big)) == "80000000");
  write(static_cast<unsigned long>(std::uint64_t{1} << 32), io::external32, false);
  write(static_cast<wchar_t>(0x1f600), io::external32, false);
  // A type that says its width has it in the file.
  std::int64_t const value = big;
  auto const m = io::memory(&value, io::int64_type);
  io::converter const c(io::external32, m.form(), m.types());
  std::vector<std::byte> file(8);
  CHECK(c.gather(m.address(), 0, 8, file.data()));
  CHECK(hex(file) == "0000000080000000");
}

#if LDBL_MANT_DIG == 64
TEST_CASE("long double: every bit pattern of the x87 that is a number goes to binary128 and back", "[representation]") {
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
                                  limits::epsilon()};
  for (int i = 0; i < 100000; ++i) {
    std::uint64_t significand = random() >> random() % 64;
    auto const exponent = static_cast<std::uint16_t>(i % 4 == 0 ? random() & 0x8000 : random() & 0xffff);
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
    if (std::isnan(value)) {
      REQUIRE((q.high >> 48 & 0x7fff) == 0x7fff);
      REQUIRE(((q.high << 16) != 0 || q.low != 0));
      REQUIRE((back.sign_exponent & 0x7fff) == 0x7fff);
      REQUIRE(back.significand << 1 != 0);
      continue;
    }
    REQUIRE(back == from);
#ifdef __SIZEOF_FLOAT128__
    __extension__ __float128 const wide = value;
    std::array<std::uint64_t, 2> bits;
    std::memcpy(bits.data(), &wide, 16);
    REQUIRE(q == binary128{bits[1], bits[0]});
#endif
  }
}

#ifdef __SIZEOF_FLOAT128__
TEST_CASE("binary128 is rounded to what a long double holds as the compiler rounds it", "[representation]") {
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

TEST_CASE("any stretch of any stream converts as its items do, cut anywhere and in any order", "[representation]") {
  CAPTURE(argosy::test::seed());
  generator g;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    std::vector<basic> all;
    io::signature s = g.signature(all, 2);
    auto const copies = g.pick(1, 400);  // more than a block
    io::signature whole;
    whole.append(s, copies);
    std::vector<basic> const once = all;
    for (std::int64_t k = 1; k < copies; ++k) all.insert(all.end(), once.begin(), once.end());
    if (all.empty()) continue;

    // Memory: dense, or spread out in pieces that cut items.
    bool const dense = g.pick(0, 1) == 0;
    std::int64_t const piece = g.pick(1, 40);
    std::int64_t const size = whole.size();
    io::layout const full = io::repeat(size / piece, piece + 3, io::bytes(piece));
    io::layout const rest = io::at(size / piece * (piece + 3), io::bytes(size % piece));
    io::layout const form = dense ? io::at(5, io::bytes(size)) : io::concat(full, rest);
    std::vector<std::byte> stream(static_cast<std::size_t>(size)), file;
    std::int64_t at = 0;
    for (basic t : all) {
      fill(g, t, stream.data() + at);
      auto const item = external_item(t, stream.data() + at);
      file.insert(file.end(), item.begin(), item.end());
      at += io::size_in(io::native_sizes, t);
    }
    std::vector<std::byte> memory(static_cast<std::size_t>(form.true_upper_bound()), std::byte{0xaa});
    io::unpack(form, stream.data(), memory.data());

    io::converter const to_file(io::external32, form, whole);
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
    io::converter from_file(io::external32, form, whole);
    for (std::size_t i : order) REQUIRE(from_file.scatter(file.data() + cuts[i], cuts[i], cuts[i + 1], back.data()));
    REQUIRE(back == memory);

    for (int k = 0; k < 20; ++k) {
      std::int64_t const p = g.pick(0, to_file.file_size());
      std::int64_t file_at = 0, memory_at = 0;
      for (basic t : all) {
        if (file_at + io::size_in(io::external32_sizes, t) > p) break;
        file_at += io::size_in(io::external32_sizes, t);
        memory_at += io::size_in(io::native_sizes, t);
      }
      REQUIRE(to_file.item_start(p) == file_at);
      REQUIRE(to_file.memory_position(p) == memory_at);
    }
  }
}

TEST_CASE("a value that does not fit is told with its last byte, cut anywhere and in any order",
          "[representation][error]") {
  CAPTURE(argosy::test::seed());
  // An item has a byte more in the file, but for those without type. All fit but those that begin with a one.
  static constexpr auto file_size = [](basic t) {
    return io::size_in(io::native_sizes, t) + (t == basic::byte ? 0 : 1);
  };
  static constexpr auto copy = [](basic t, std::int64_t count, std::byte const* from, std::int64_t from_step,
                                  std::byte* to, std::int64_t to_step) {
    bool fits = true;
    for (; count-- > 0; from += from_step, to += to_step) {
      std::memcpy(to, from, static_cast<std::size_t>(io::size_in(io::native_sizes, t)));
      fits = fits && *from != std::byte{1};
    }
    return fits;
  };
  io::representation_functions wider;
  wider.file_bytes = file_size;
  wider.write = [](basic t, std::int64_t count, std::byte const* memory, std::byte* file) {
    return copy(t, count, memory, io::size_in(io::native_sizes, t), file, file_size(t));
  };
  wider.read = [](basic t, std::int64_t count, std::byte const* file, std::byte* memory) {
    return copy(t, count, file, file_size(t), memory, io::size_in(io::native_sizes, t));
  };
  io::register_representation("wider", wider);
  io::representation const r = io::find_representation("wider");

  generator g;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    std::vector<basic> once, all;
    io::signature const s = g.signature(once, 2);
    auto const copies = g.pick(1, round % 3 == 0 ? 400 : 5);  // more than a block
    io::signature whole;
    whole.append(s, copies);
    for (std::int64_t k = 0; k < copies; ++k) all.insert(all.end(), once.begin(), once.end());
    if (all.empty()) continue;

    auto const odd = static_cast<std::size_t>(g.pick(0, static_cast<std::int64_t>(all.size()) - 1));
    std::vector<std::byte> stream;
    std::int64_t low = 0, high = 0, end = 0;  // of the odd one, in the file
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::int64_t const size = io::size_in(io::native_sizes, all[i]);
      stream.insert(stream.end(), static_cast<std::size_t>(size),
                    i == odd ? std::byte{1} : static_cast<std::byte>(g.pick(2, 255)));
      if (i == odd) low = end, high = end + file_size(all[i]);
      end += file_size(all[i]);
    }
    bool const dense = g.pick(0, 1) == 0;
    io::layout const form = dense ? io::bytes(whole.size()) : io::repeat(whole.size(), 3, io::bytes(1));
    std::vector<std::byte> memory(static_cast<std::size_t>(form.true_upper_bound()), std::byte{0xaa});
    io::unpack(form, stream.data(), memory.data());

    // Some cuts in the odd one, and some anywhere.
    std::vector<std::int64_t> cuts{0, end};
    for (auto n = g.pick(0, 3); n > 0; --n) cuts.push_back(g.pick(0, end));
    for (auto n = g.pick(0, 2); n > 0; --n) cuts.push_back(g.pick(low, high));
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::size_t> order(cuts.size() - 1);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), g.random);

    io::converter to_file(r, form, whole), from_file(r, form, whole);
    REQUIRE(to_file.file_size() == end);
    std::vector<std::byte> file(static_cast<std::size_t>(end)), back(memory.size(), std::byte{0xaa});
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
      REQUIRE(from_file.scatter(file.data() + from, from, to, back.data()) == (here == 0 || missing > 0));
    }
    REQUIRE(back == memory);
  }
}

TEST_CASE("one value that external32 cannot hold is told among any number of others", "[representation][error]") {
  if (sizeof(long) == 4) return;
  struct pair {
    long number;
    char letter;
  };
  auto const check = [](auto const& all, auto const& types, std::int64_t file_bytes) {
    auto const count = static_cast<std::int64_t>(all.size());
    auto const m = io::memory(all.data(), types, count);
    io::converter const c(io::external32, m.form(), m.types());
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
      std::vector<std::array<long, 2>> spread(count, {-5, 0});
      std::vector<pair> pairs(count, {-5, 'a'});
      io::vector const every_second(1, 1, 1, io::resized(io::type<long>, 0, 16));
      auto const both = io::resized(io::record(io::member(0, io::type<long>), io::member(8, io::type<char>)), 0, 16);
      auto const none_is_odd = [&](bool fits) {
        CHECK(check(numbers, io::type<long>, 4) == fits);
        CHECK(check(counts, io::type<unsigned long>, 4) == fits);
        CHECK(check(letters, io::type<wchar_t>, 2) == fits);
        CHECK(check(spread, every_second, 4) == fits);
        CHECK(check(pairs, both, 5) == fits);
      };
      none_is_odd(true);
      numbers[odd] = spread[odd][0] = pairs[odd].number = static_cast<long>(std::int64_t{1} << 31);
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
  for (std::size_t i = 0; i < to.size(); ++i) REQUIRE((to[i].x[2] == from[i].x[2] && to[i].id == from[i].id));
}

TEST_CASE("a value that does not fit is not forgotten when others follow", "[representation][error]") {
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

TEST_CASE("types must be those of the memory", "[representation][error]") {
  io::layout const form = io::bytes(8);
  CHECK_THROWS_WITH(io::converter(io::external32, form, io::signature(basic::int32)),
                    Contains("8 bytes") && Contains("4"));
}

TEST_CASE("a representation of one's own: registered once, found by name, and used", "[representation]") {
  // Numbers of 16 bits as five decimal digits, the last one first; everything else as it is.
  io::representation_functions text;
  text.file_bytes = [](basic t) { return t == basic::uint16 ? 5 : io::size_in(io::native_sizes, t); };
  text.write = [](basic t, std::int64_t count, std::byte const* memory, std::byte* file) {
    if (t != basic::uint16) {
      std::memcpy(file, memory, static_cast<std::size_t>(count * io::size_in(io::native_sizes, t)));
      return true;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint16_t v = 0;
      std::memcpy(&v, memory + 2 * i, 2);
      for (int d = 0; d < 5; ++d, v /= 10) file[5 * i + d] = static_cast<std::byte>('0' + v % 10);
    }
    return true;
  };
  text.read = [](basic t, std::int64_t count, std::byte const* file, std::byte* memory) {
    bool fits = true;
    if (t != basic::uint16) {
      std::memcpy(memory, file, static_cast<std::size_t>(count * io::size_in(io::native_sizes, t)));
      return true;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      unsigned v = 0;
      for (int d = 5; d-- > 0;) v = 10 * v + static_cast<unsigned>(file[5 * i + d]) - '0';
      fits = fits && v <= 0xffff;
      auto const kept = static_cast<std::uint16_t>(v);
      std::memcpy(memory + 2 * i, &kept, 2);
    }
    return fits;
  };
  std::error_code error;
  io::register_representation("digits", text, error);
  CHECK_FALSE(error);
  io::register_representation("digits", text, error);
  CHECK(error == io::errc::duplicate_representation);
  io::register_representation("external32", text, error);
  CHECK(error == io::errc::duplicate_representation);
  io::register_representation("", text, error);
  CHECK(error == io::errc::argument);
  io::register_representation(std::string(128, 'x'), text, error);
  CHECK(error == io::errc::argument);
  io::representation_functions half = text;
  half.read = nullptr;
  io::register_representation("half", half, error);
  CHECK(error == io::errc::argument);
  CHECK_THROWS_AS(io::register_representation("digits", text), std::system_error);
  CHECK_THROWS_AS(io::find_representation("nowhere"), std::system_error);
  CHECK(io::find_representation("external32") == io::external32);
  CHECK(io::find_representation("native").converts() == false);

  io::representation const digits = io::find_representation("digits");
  CHECK(digits.name() == "digits");
  CHECK(digits.converts());
  CHECK(io::view(0, io::vector(2, 1, 2, io::type<std::uint16_t>), digits).byte_offset(1) == 10);
  std::array<std::pair<std::uint16_t, int>, 2> const data{{{123, -1}, {65535, -1}}};
  auto const file = write(data, digits);
  CHECK(hex(file) ==
        "3332313030"
        "ffffffff"
        "3533353536"
        "ffffffff");
  CHECK(read<std::array<std::pair<std::uint16_t, int>, 2>>(file, digits) == data);
  auto broken = file;
  broken[4] = std::byte{'9'};
  read<std::array<std::pair<std::uint16_t, int>, 2>>(broken, digits, false);

  // Without functions it copies; what functions throw arrives.
  io::register_representation("plain", {});
  CHECK(hex(write(std::uint8_t{7}, io::find_representation("plain"))) == "07");
  io::representation_functions bad;
  bad.write = [](basic, std::int64_t, std::byte const*, std::byte*) -> bool { throw std::runtime_error("on fire"); };
  bad.read = [](basic, std::int64_t, std::byte const*, std::byte*) -> bool { throw std::runtime_error("on fire"); };
  io::register_representation("bad", bad);
  CHECK_THROWS_WITH(write(1, io::find_representation("bad")), "on fire");
}

TEST_CASE("whether types repeat does not depend on how they are described", "[representation][types]") {
  CAPTURE(argosy::test::seed());
  std::mt19937_64 random(argosy::test::seed());
  auto const pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  constexpr std::array types{io::basic::byte, io::basic::int32, io::basic::uint32, io::basic::float64};
  // A sequence of items, cut at random, equal halves as a loop.
  auto const describe = [&](auto&& self, std::span<io::basic const> items) -> io::signature {
    io::signature all;
    if (items.size() == 1) return io::signature(items[0]);
    if (items.empty()) return all;
    std::size_t const half = items.size() / 2;
    if (items.size() % 2 == 0 && std::equal(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half),
                                            items.begin() + static_cast<std::ptrdiff_t>(half)))
      return all.append(self(self, items.first(half)), 2);
    std::size_t const cut = 1 + pick(items.size() - 1);
    return all.append(self(self, items.first(cut))).append(self(self, items.subspan(cut)));
  };
  auto const without_sign = [](std::vector<io::basic> list) {
    for (io::basic& b : list)
      if (b == io::basic::uint32) b = io::basic::int32;
    return list;
  };
  int repeated = 0, otherwise = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<io::basic> one, all;
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
  // As large as they come.
  std::int64_t const many = std::int64_t{1} << 40;
  CHECK(io::detail::type_digest(io::signature(io::basic::int32, 3 * many))
            .repeats(io::detail::type_digest(io::signature(io::basic::int32, 3)), many));
}
