// Local calls of data in several pieces: static datatypes, whose loops the compiler makes, and the
// same datatypes with numbers at run time.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/world/self.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"

namespace io = argosy;

namespace {

using file = io::basic_file<io::self>;
using bytes = std::vector<std::byte>;

struct particle {
  double x, y, z;
  float mass;  // padding follows
  std::int64_t id;
};

// Static datatypes of every shape, each with the same one whose numbers are known at run time.
template <class F>
void for_each_type(F&& f) {
  using io::constant;
  using io::list;
  long const n = 12;
  auto const number = io::type<double>;
  f(double(), "block",
    io::subarray(list(constant<12>, constant<12>, constant<12>),
                 list(constant<8>, constant<8>, constant<8>),
                 list(constant<2>, constant<2>, constant<2>), number),
    io::subarray(list(n, n, n), list(8, 8, 8), list(2, 2, 2), number));
  f(double(), "row of a block",
    io::subarray(list(constant<12>, constant<12>), list(constant<1>, constant<5>),
                 list(constant<3>, constant<2>), number),
    io::subarray(list(n, n), list(1, 5), list(3, 2), number));
  f(double(), "column", io::vector(constant<9>, constant<1>, constant<12>, number),
    io::vector(9, 1, n, number));
  f(float(), "every other", io::vector(constant<64>, constant<1>, constant<2>, io::type<float>),
    io::vector(64, 1, 2, io::type<float>));
  f(double(), "indexed",
    io::indexed(list(constant<3>, constant<1>, constant<2>),
                list(constant<0>, constant<7>, constant<11>), number),
    io::indexed(std::vector{3, 1, 2}, std::vector{0, 7, 11}, number));
  f(double(), "contiguous", io::contiguous(constant<17>, number), io::contiguous(17, number));
  f(double(), "with gaps behind",
    io::resized(io::contiguous(constant<3>, number), constant<0>, constant<40>),
    io::resized(io::contiguous(3, number), 0, 40));
  f(double(), "with a gap before",
    io::resized(io::vector(constant<2>, constant<1>, constant<3>, number), constant<-16>,
                constant<64>),
    io::resized(io::vector(2, 1, 3, number), -16, 64));
  f(double(), "backwards", io::vector(constant<4>, constant<1>, constant<-2>, number),
    io::vector(4, 1, -2, number));
  // Only the rank is known at run time: ranks of three shapes.
  for (int const rank : {0, 4, 5})
    f(double(), "part of a rank",
      io::darray(list(constant<8>, constant<7>),
                 io::distribute::each(io::distribute::block, io::distribute::cyclic(constant<2>)),
                 list(constant<3>, constant<2>), rank, number),
      io::darray({8, 7}, io::distribute::each(io::distribute::block, io::distribute::cyclic(2)),
                 list(3, 2), rank, number));
  f(particle(), "two members", io::members<&particle::mass, &particle::x>{},
    io::layout(io::members<&particle::mass, &particle::x>::form()));
}

// Returns the offsets of all bytes of `copies` copies, in stream order.
std::vector<std::int64_t> places_of(io::layout const& one, std::int64_t copies) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < copies; ++i)
    for (std::int64_t at = 0; at < one.size();) {
      io::extend::piece const p = io::extend::cursor(one, at).current();
      for (std::int64_t k = 0; k < p.length; ++k) all.push_back(i * one.extent() + p.offset + k);
      at += p.length;
    }
  return all;
}

bytes random_bytes(io::test::engine& random, std::size_t n) {
  bytes all(n);
  for (std::byte& b : all) b = std::byte(random() & 255);
  return all;
}

// Data of a datatype in the middle of a memory that goes further in both directions.
struct data {
  static constexpr std::size_t before = 4096;
  bytes memory;
  std::vector<std::int64_t> places;

  data(io::test::engine& random, io::layout const& one, std::int64_t copies)
      : memory(random_bytes(random, 2 * before + static_cast<std::size_t>(copies * one.extent() +
                                                                          one.true_extent()))),
        places(places_of(one, copies)) {}
  template <class T>
  T* start() {
    return reinterpret_cast<T*>(memory.data() + before);
  }
  bytes stream(std::size_t n) const {
    bytes all;
    for (std::size_t i = 0; i < n; ++i)
      all.push_back(memory[before + static_cast<std::size_t>(places[i])]);
    return all;
  }
};

bytes content(std::string const& name) {
  std::ifstream in(name, std::ios::binary);
  std::string const all{std::istreambuf_iterator<char>(in), {}};
  bytes out(all.size());
  std::memcpy(out.data(), all.data(), all.size());
  return out;
}

// A place of the view's stream in the file: every other 24 bytes, or all.
std::size_t in_file(bool strided, std::size_t position) {
  return strided ? position / 24 * 48 + position % 24 : position;
}

template <class T, class Datatype>
void write_and_read(file& f, std::string const& name, io::test::engine& random,
                    Datatype const& type, std::int64_t copies, bool strided) {
  io::layout const one(io::detail::form_of(type));
  data out(random, one, copies);
  std::size_t const all = out.places.size(), whole = all / 8 * 8;
  REQUIRE(whole == all);
  std::int64_t const offset = io::test::pick(random, 0, 50);  // in doubles
  bytes expected = content(name);
  bytes const stream = out.stream(all);
  for (std::size_t i = 0; i < all; ++i)
    expected[in_file(strided, static_cast<std::size_t>(8 * offset) + i)] = stream[i];

  bytes const untouched = out.memory;
  io::report const w = f.write_at(offset, {out.start<T>(), type, copies});
  CHECK(w.bytes == static_cast<std::int64_t>(all));
  CHECK(w.memory_bytes == w.bytes);
  CHECK(w.windows >= (all > 0 ? 1 : 0));
  CHECK(content(name) == expected);
  CHECK(out.memory == untouched);

  data in(random, one, copies);
  bytes memory = in.memory;
  for (std::size_t i = 0; i < all; ++i)
    memory[data::before + static_cast<std::size_t>(out.places[i])] =
        out.memory[data::before + static_cast<std::size_t>(out.places[i])];
  io::report const r = f.read_at(offset, {in.start<T>(), type, copies});
  CHECK(r.bytes == w.bytes);
  CHECK(in.memory == memory);
}

}  // namespace

TEST_CASE("data in several pieces is written and read as its layout says", "[file][local]") {
  io::test::engine random(io::test::seed());
  io::test::scratch const dir;
  std::string const name = dir / "data";
  bytes const before = random_bytes(random, 200'000);
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<char const*>(before.data()), 200'000);
  file f = file::open(io::self(), name, io::mode::read_write);
  for (bool const strided : {false, true}) {
    f.set_view(0, {io::type<double>,
                   io::resized(io::contiguous(3, io::type<double>), 0, strided ? 48 : 24)});
    for_each_type([&](auto value, char const* what, auto const& fixed, auto const& at_run_time) {
      for (std::int64_t const copies : {0, 1, 2, 8, 40}) {
        if (io::layout(fixed.form()).size() * copies > 80'000) continue;
        if (io::layout(fixed.form()).size() * copies % 8 != 0) continue;
        CAPTURE(what, copies, strided);
        write_and_read<decltype(value)>(f, name, random, fixed, copies, strided);
        write_and_read<decltype(value)>(f, name, random, at_run_time, copies, strided);
      }
    });
  }
}

TEST_CASE("reading data in several pieces ends at the end of the file", "[file][local]") {
  io::test::engine random(io::test::seed());
  io::test::scratch const dir;
  std::string const name = dir / "data";
  file f = file::open(io::self(), name, io::mode::create | io::mode::read_write);
  for_each_type([&](auto value, char const* what, auto const& fixed, auto const& at_run_time) {
    auto const check = [&](auto const& type) {
      io::layout const one(io::detail::form_of(type));
      data in(random, one, 3);
      for (std::size_t const size : {std::size_t{0}, std::size_t{5}, in.places.size() - 1}) {
        CAPTURE(what, size);
        bytes const there = random_bytes(random, size);
        f.set_size(0);
        f.set_view(0, io::type<std::byte>);
        f.write_at(0, there);
        bytes expected = in.memory;
        for (std::size_t i = 0; i < size; ++i)
          expected[data::before + static_cast<std::size_t>(in.places[i])] = there[i];
        io::report const r = f.read_at(0, {in.start<decltype(value)>(), type, 3});
        CHECK(r.bytes == static_cast<std::int64_t>(size));
        CHECK(in.memory == expected);
      }
    };
    check(fixed);
    check(at_run_time);
  });
}

TEST_CASE("a small call of a static datatype allocates nothing", "[file][local]") {
  io::test::scratch const dir;
  file f = file::open(io::self(), dir / "data", io::mode::create | io::mode::read_write);
  std::vector<double> u(12 * 12 * 12, 1.5);
  std::vector<particle> all(100);
  auto const inside =
      io::subarray(io::list(io::constant<12>, io::constant<12>, io::constant<12>),
                   io::list(io::constant<8>, io::constant<8>, io::constant<8>),
                   io::list(io::constant<2>, io::constant<2>, io::constant<2>), io::type<double>);
  f.write_at(0, {u, inside});
  io::allocation_count const count;
  io::report const w = f.write_at(0, {u, inside}), r = f.read_at(0, {u, inside}),
                   m = f.write_at(0, {all, io::members<&particle::id>{}});
  std::size_t const allocated = count.since();
  CHECK(allocated == 0);
  CHECK(w.bytes == 4096);
  CHECK(w.write_calls == 1);
  CHECK(r.read_calls == 1);
  CHECK(m.bytes == 800);
}

TEST_CASE("a static datatype that is not all in its container is an error of the call",
          "[file][local]") {
  io::test::scratch const dir;
  file f = file::open(io::self(), dir / "data", io::mode::create | io::mode::read_write);
  std::vector<double> u(100);
  auto const type =
      io::vector(io::constant<10>, io::constant<1>, io::constant<10>, io::type<double>);
  auto const code = [&](auto&& call) {
    std::error_code error;
    call(error);
    return error;
  };
  CHECK(!code([&](auto& e) { f.write_at(0, {u, type}, e); }));
  CHECK(code([&](auto& e) { f.write_at(0, {u, type, 2}, e); }) == io::errc::argument);
  CHECK(code([&](auto& e) { f.write_at(0, {u, type, -1}, e); }) == io::errc::argument);
  u.resize(90);
  CHECK(code([&](auto& e) { f.write_at(0, {u, type}, e); }) == io::errc::argument);
  double* const nowhere = nullptr;
  CHECK(code([&](auto& e) { f.write_at(0, {nowhere, type, 1}, e); }) == io::errc::argument);
  CHECK(code([&](auto& e) { f.read_at(0, {nowhere, type, 1}, e); }) == io::errc::argument);
  CHECK(!code([&](auto& e) { f.write_at(0, {nowhere, type, 0}, e); }));
  CHECK(code([&](auto& e) { f.write_at(0, {u.data(), type, INT64_MAX / 8}, e); }) ==
        io::errc::argument);
}
