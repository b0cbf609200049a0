// The contract of data and views of a file in every world. Each function is called by all ranks,
// for any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

#include "catch.hpp"
#include "files.hpp"
#include "seen_by_all.hpp"
#include "shared_scratch.hpp"

namespace argosy::test {

using namespace extend;

// --- Views ---

template <communicator World>
void check_views(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data", mode::create | mode::read_write);
  std::error_code error;
  int const n = world.size(), me = world.rank();
  // The ints of the ranks alternate; each rank has three.
  auto const mine = resized(type<int>, 0, 4 * n);
  std::vector<int> const numbers = {10 * me, 10 * me + 1, 10 * me + 2};
  std::vector<int> got(3);
  auto const check = [&](char const* how) {
    CAPTURE(how);
    CHECK(f.position() == 0);
    CHECK(f.view().displacement() == 8 + 4 * me);
    CHECK(f.view().etype_size() == 4);
    f.write(numbers);
    f.seek(0);
    got.assign(3, -1);
    CHECK(f.read(got).bytes == 12);
    CHECK(got == numbers);
    world.barrier();
  };
  f.set_view(8 + 4 * me, mine);
  check("by value");
  f.set_view(8 + 4 * me, [&] { return mine; });
  check("by a function");
  f.set_view(8 + 4 * me, {type<int>, mine});
  check("with an etype");
  f.set_view(8 + 4 * me, {[] { return type<int>; }, [&] { return mine; }, "native"});
  check("with a representation by name");
  f.set_view(8 + 4 * me, {mine, std::string("internal")});
  check("with another name");
  f.set_view(8 + 4 * me, {type<int>, mine, external32}, hints{.ind_wr_buffer_bytes = 100});
  check("with hints");
  CHECK(f.get_hints().values().ind_wr_buffer_bytes == 100);
  f.set_view(view(8 + 4 * me, type<int>, mine));
  check("as a whole");

  argosy::view const before = f.view();
  f.set_view(-1, type<int>, error);
  CHECK(error == errc::argument);
  f.set_view(0, {type<int>, "no such representation"}, error);
  CHECK(error == errc::representation);
  f.set_view(0, {type<double>, contiguous(3, type<int>)}, error);
  CHECK(error == errc::datatype);
  // The view names bytes twice, so it cannot be written.
  f.set_view(0, indexed({2, 1}, {0, 1}, type<int>), error);
  CHECK(error == errc::datatype);
  int const odd = n - 1;
  auto const thrower = [&] {
    if (me == odd) throw std::runtime_error("no datatype today");
    return type<int>;
  };
  if (me == odd)
    CHECK_THROWS_WITH(f.set_view(0, thrower), "no datatype today");
  else {
    f.set_view(0, thrower, error);
    CHECK(error == errc::error_on_another_rank);
  }
  if (n > 1) {
    f.set_view(0, {type<int>, me == 0 ? "native" : "external32"}, error);
    CHECK(error == errc::not_same);
  }
  CHECK(f.view() == before);  // errors change nothing
  f.close();
}

template <communicator World>
void check_external32(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data", mode::create | mode::read_write);
  int const me = world.rank();
  f.set_view(8 * me, {type<int>, "external32"});
  std::array<int, 2> const numbers = {0x01020304 + me, -2};
  f.write_all(numbers);
  std::array<int, 2> got{};
  f.read_at_all(0, got);
  CHECK(got == numbers);
  f.set_view(8 * me, type<unsigned char>);
  std::array<unsigned char, 8> raw{};
  f.read_all(raw);
  CHECK(raw == std::array<unsigned char, 8>{1, 2, 3, static_cast<unsigned char>(4 + me), 0xff, 0xff,
                                            0xff, 0xfe});
  f.set_view(8 * me, {type<long>, external32});  // a long has four bytes in external32
  long const fits = 5, large = 1L << 40;
  CHECK(f.write_at_all(0, fits).bytes == 4);
  std::error_code error;
  f.write_at_all(0, me == 0 ? large : fits, error);
  CHECK(failed_on(world, 0, errc::conversion, error));
  f.close();
}

// --- Reading and writing ---

template <communicator World>
void check_ends_and_holes(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data", mode::create | mode::read_write);
  for (any_policy const& how : {any_policy(), any_policy(independent{}),
                                any_policy(sieving{.reads = sieving_mode::always})}) {
    f.set_size(0);
    f.set_view(0, type<int>);
    std::vector<int> const two = {7, 8};
    if (world.rank() == world.size() - 1) {
      f.write_at(10, two, how);
      f.write_at(1000, std::span<int const>(), how);  // no data, so the file does not grow
    }
    let_all_see(f, world);
    CHECK(f.size() == 48);
    std::vector<int> got(20, -1);
    CHECK(f.read_at(8, got, how).bytes == 16);
    CHECK(std::vector<int>(got.begin(), got.begin() + 5) == std::vector<int>{0, 0, 7, 8, -1});
    CHECK(f.read_at(12, got, how).bytes == 0);
    CHECK(f.read_at(500, got, how).bytes == 0);
    CHECK(f.read_at(0, std::span<int>(), how).bytes == 0);

    // The pointer moves by the requested count, even if the file ends before.
    CHECK(f.read(got, how).bytes == 48);
    CHECK(f.position() == 20);
    CHECK(f.read_all(got, how).bytes == 0);
    CHECK(f.position() == 40);

    // The file ends inside of an int, and inside of a piece.
    world.barrier();
    f.set_size(42);
    f.set_view(0, {type<int>, resized(contiguous(2, type<int>), 0, 12)});
    got.assign(20, -1);
    CHECK(f.read_at_all(6, got, how).bytes == 6);
    CHECK(got[0] == 0);
    CHECK(got[2] == -1);
    world.barrier();
  }
  std::error_code error;
  int number = 0;
  f.read_at(-1, number, error);
  CHECK(error == errc::argument);
  f.write_at(INT64_MAX, number, error);
  CHECK(error == errc::argument);
  f.write_at(0, {&number, type<int>, -1}, error);
  CHECK(error == errc::argument);
  f.write_at(0, {static_cast<int const*>(nullptr), type<int>, 1}, error);
  CHECK(error == errc::argument);
  char const odd = 'x';
  f.write_at(0, odd, error);
  CHECK(error == errc::datatype);  // not a whole int
  CHECK(f.size() == 42);
  world.barrier();
  f.close();
}

// A view that names bytes twice may be read.
template <communicator World>
void check_overlapping_reads(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data", mode::create | mode::write);
  std::vector<unsigned char> content(100);
  std::iota(content.begin(), content.end(), std::uint8_t{0});
  f.write_at_all(0, content);
  f.close();
  f = basic_file<World>::open(world, here / "data", mode::read);
  f.set_view(1, {type<unsigned char>, indexed({10, 3, 4}, {0, 2, 2}, type<unsigned char>)});
  std::vector<unsigned char> expected;
  for (int start : {1, 11})
    for (auto const& [at, length] : {std::pair(0, 10), {2, 3}, {2, 4}})
      for (int i = 0; i < length; ++i)
        expected.push_back(static_cast<unsigned char>(start + at + i));
  for (any_policy const& how :
       {any_policy(), any_policy(independent{.buffer_bytes = 4}),
        any_policy(sieving{.reads = sieving_mode::always}),
        any_policy(sieving{.read_window_bytes = 3, .reads = sieving_mode::always})})
    for (std::size_t from = 0; from < 17; ++from)
      for (std::size_t count : {std::size_t{1}, std::size_t{4}, std::size_t{9}, std::size_t{17}}) {
        CAPTURE(from, count);
        std::vector<unsigned char> rank_statistics(2 * count, 0xee), wanted(2 * count, 0xee);
        for (std::size_t i = 0; i < count; ++i) wanted[2 * i] = expected[from + i];
        CHECK(f.read_at(static_cast<std::int64_t>(from),
                        {rank_statistics.data(), resized(type<unsigned char>, 0, 2),
                         static_cast<std::int64_t>(count)},
                        how)
                  .bytes == static_cast<std::int64_t>(count));
        CHECK(rank_statistics == wanted);
      }
  goes_atomic(f, here / "data");
  std::vector<unsigned char> got(12);
  CHECK(f.read_at(5, got).bytes == 12);
  CHECK(std::equal(got.begin(), got.end(), expected.begin() + 5));
  f.close();
}

template <communicator World>
void check_ordered(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data", mode::create | mode::read_write);
  f.set_view(0, type<int>);
  int const n = world.size(), me = world.rank();
  // Rank r writes r numbers, twice.
  for (int i = 0; i < 2; ++i) {
    std::vector<int> const mine = numbers_from(100 * i + 10 * me, me);
    f.write_ordered(mine);
  }
  CHECK(f.position_shared() == n * (n - 1));
  world.barrier();
  f.seek_shared(0);
  for (int i = 0; i < 2; ++i) {
    std::vector<int> got(static_cast<std::size_t>(me), -1);
    f.read_ordered(got);
    CHECK(got == numbers_from(100 * i + 10 * me, me));
  }
  std::vector<int> all(static_cast<std::size_t>(n * (n - 1))), expected;
  for (int i = 0; i < 2; ++i)
    for (int r = 0; r < n; ++r)
      for (int j = 0; j < r; ++j) expected.push_back(100 * i + 10 * r + j);
  CHECK(f.read_at(0, all).bytes == 4 * n * (n - 1));
  CHECK(all == expected);
  f.close();
}

// The ranks write in turn. The other ranks wait outside of argosy meanwhile, and must not be
// needed.
template <communicator World>
void check_shared_pointer(World const& world) {
  shared_scratch const here(world);
  auto f = basic_file<World>::open(world, here / "data", mode::create | mode::read_write);
  // The second open has a shared pointer of its own.
  auto g = basic_file<World>::open(world, here / "data", mode::read_write);
  f.set_view(0, type<int>);
  g.set_view(0, type<int>);
  for (int r = 0; r < world.size(); ++r) {
    if (r == world.rank())
      for (int i = 0; i < 5; ++i) {
        int const number = 10 * r + i;
        f.write_shared(number);
      }
    world.barrier();
  }
  CHECK(f.position_shared() == 5 * world.size());
  CHECK(g.position_shared() == 0);
  std::vector<int> expected;
  for (int r = 0; r < world.size(); ++r)
    for (int i = 0; i < 5; ++i) expected.push_back(10 * r + i);
  let_all_see(f, world);
  std::vector<int> got(expected.size());
  f.read_at(0, got);
  CHECK(got == expected);
  // All ranks read numbers until there are none. Each number must be read once.
  world.barrier();
  std::int64_t sum = 0;
  for (int number = 0; g.read_shared(number).bytes == 4;) sum += number + 1;
  reducible_total total{sum};
  world.all_reduce(total);
  CHECK(total.value == std::accumulate(expected.begin(), expected.end(), std::int64_t{0}) +
                           static_cast<std::int64_t>(expected.size()));
  CHECK(f.position_shared() == 5 * world.size());
  g.close();
  f.close();
}

}  // namespace argosy::test
