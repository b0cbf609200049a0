// .npy files in any world. Each function is called by all ranks, for any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/format/basic_npy.hpp>

#include "format/array_cases.hpp"

namespace argosy::test {

using namespace extend;

// Returns all bytes of a file, read by this rank.
template <communicator World>
std::vector<std::byte> bytes_of_file(World const&, std::string const& path, opener const& files) {
  std::error_code error;
  any_handle f = files(path, {.read = true}, error);
  std::vector<std::byte> all(error ? 0 : static_cast<std::size_t>(f.size(error)));
  f.read(0, all);
  return all;
}

template <class T, communicator World>
void check_random_npy(World const& world, std::string const& path, opener const& files,
                      std::mt19937_64& random) {
  using file = basic_npy<World>;
  dealt const d = dealt::any(random, world.size());
  CAPTURE(d.sizes, d.grid, d.block, static_cast<int>(d.o), seed());
  auto const numbers = d.numbers(world.rank());
  std::vector<T> mine(numbers.size());
  for (std::size_t i = 0; i < mine.size(); ++i) number_to(numbers[i], mine[i]);
  file f = file::create(world, path, d.tile<T>(world.rank()), {}, files);
  f.write_all(mine);
  f.close();

  auto const bytes = bytes_of_file(world, path, files);
  dtype const type = dtype_of<T>();
  npy_header const h = file::header_of(world, path, {}, files);
  CHECK(h.shape == d.sizes);
  CHECK(h.type == type);
  CHECK(h.order == d.o);
  REQUIRE(static_cast<std::int64_t>(bytes.size()) == h.data_offset + h.bytes());
  std::int64_t wrong = 0;
  for (std::int64_t n = 0; n < h.bytes() / type.bytes; ++n) {
    T expected{};
    number_to(n, expected);
    std::vector<std::byte> dense(static_cast<std::size_t>(type.bytes));
    pack(argosy::detail::layout_of<T>(), &expected, dense.data());
    wrong +=
        std::memcmp(dense.data(), bytes.data() + h.data_offset + n * type.bytes, dense.size()) != 0;
  }
  CHECK(wrong == 0);

  // Read by fewer ranks, in another distribution.
  int const readers = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(world.size()));
  World const some = world.split(world.rank() < readers ? 0 : 1, world.rank());
  dealt const other = d.again(random, readers);
  if (world.rank() < readers) {
    auto const wanted = other.numbers(some.rank());
    std::vector<T> back(wanted.size());
    file g = file::open(some, path, other.tile<T>(some.rank()), mode::read, {}, files);
    g.read_all(back);
    g.close();
    wrong = 0;
    for (std::size_t i = 0; i < back.size(); ++i) wrong += !is_number(wanted[i], back[i]);
    CHECK(wrong == 0);
  }
  world.barrier();
}

template <communicator World>
void check_random_npy_files(World const& world, std::string const& path, opener const& files,
                            int rounds) {
  std::mt19937_64 random(seed());
  for (int i = 0; i < rounds; ++i) {
    check_random_npy<double>(world, path, files, random);
    check_random_npy<std::int16_t>(world, path, files, random);
    check_random_npy<std::complex<float>>(world, path, files, random);
    check_random_npy<particle>(world, path, files, random);
  }
}

// Calls f(error_code&) and its throwing form. All ranks must get an error, and the rank that failed
// must report these words.
template <communicator World, class F>
void check_refused(World const& world, errc e, int rank, std::string const& words, F&& f) {
  std::error_code error;
  f(error);
  CHECK(error == (rank < 0 || rank == world.rank() ? e : errc::error_on_another_rank));
  try {
    f();
    FAIL("nothing was thrown");
  } catch (argosy::error const& x) {
    CHECK(x.code() == error);
    CHECK_THAT(x.what(), Catch::Matchers::ContainsSubstring(words));
  }
}

// Opens files that are shorter than their header says, or have no whole header. `n`: the number of
// rows.
template <communicator World, class Tile>
void check_npy_cut(World const& world, std::string const& path, std::int64_t n, Tile const& tile,
                   opener const& files) {
  world.barrier();
  for (std::int64_t const size : {4096 + 32 * n - 1, std::int64_t{100}, std::int64_t{0}}) {
    if (world.rank() == 0) {
      std::error_code error;
      any_handle h = files(path, {.read = true, .write = true}, error);
      h.resize(size);
      h.close();
    }
    world.barrier();
    std::error_code error;
    auto f = basic_npy<World>::open(world, path, tile, mode::read, error, files);
    CHECK((error == errc::damaged || (world.rank() > 0 && error == errc::error_on_another_rank)));
    CHECK_FALSE(f.file().is_open());
    CHECK_FALSE(f.what_failed().empty());
  }
}

template <communicator World>
void check_npy_errors(World const& world, std::string const& path, opener const& files) {
  using file = basic_npy<World>;
  auto const rows = [&](std::int64_t n, auto type, order o = order::c) {
    return darray(std::vector<std::int64_t>{n, 4}, distribute::block,
                  std::vector<std::int64_t>{world.size(), 1}, world.rank(), type, o);
  };
  std::int64_t const n = 2 * world.size();
  auto const tile = rows(n, type<double>);
  std::vector<double> mine(8, world.rank());
  int const last = world.size() - 1;

  auto const opened = [&](auto part) {
    return
        [&, part](auto&... error) { file::open(world, path, part, mode::read, {error...}, files); };
  };
  check_refused(world, errc::no_such_file, -1, "no such file", opened(tile));

  file f = file::create(world, path, tile, {}, files);
  // If the data of one rank is wrong, no rank writes.
  for (auto const& [size, words] :
       {std::pair<std::size_t, char const*>{7, "the data is 7 float64"}, {9, "is 8 float64"}}) {
    std::vector<double> const other(world.rank() == last ? size : 8, 7);
    check_refused(world, errc::datatype, last, words,
                  [&](auto&... error) { f.write_all(other, error...); });
  }
  std::vector<std::int64_t> const integers(8);
  check_refused(world, errc::datatype, -1, "the data is 8 long, this rank's part",
                [&](auto&... error) { f.write_all(integers, error...); });
  f.read_all(mine);
  CHECK(mine == std::vector<double>(8, 0));  // zeros until it is written
  // The last write_all failed, so the file does not look whole.
  std::error_code not_whole;
  f.close(not_whole);
  CHECK(not_whole == (world.rank() == 0 ? errc::damaged : errc::error_on_another_rank));
  CHECK_FALSE(f.file().is_open());
  check_refused(world, errc::damaged, 0, "the array was not finished", opened(tile));
  f = file::create(world, path, tile, {}, files);
  check_refused(world, errc::datatype, -1, "the data is 8 long, this rank's part",
                [&](auto&... error) { f.write_all(integers, error...); });
  f.write_all(mine);  // completes the file
  f.close();
  CHECK_FALSE(f.file().is_open());

  // The words must name both types.
  std::string const both =
      "the file has an array of '<f8' (" + std::to_string(n) + ", 4), the program's is of ";
  check_refused(world, errc::datatype, -1, both + "'<f4' (" + std::to_string(n) + ", 4)",
                opened(rows(n, type<float>)));
  check_refused(world, errc::datatype, -1, both + "'<f8' (" + std::to_string(n + 1) + ", 4)",
                opened(rows(n + 1, type<double>)));
  check_refused(world, errc::datatype, -1, "in Fortran order; give tile",
                opened(rows(n, type<double>, order::fortran)));
  check_refused(world, errc::datatype, -1, both + "[('x', '<f8', (3,)), ('id', '<i4')]",
                opened(rows(n, type<particle>)));
  if (world.size() > 1) {
    std::string const second = path + ".second";
    std::error_code error;
    file::create(world, second, rows(world.rank() == last ? n + 1 : n, type<double>), error, files);
    CHECK(error == errc::not_same);
    file::create(world, path, rows(world.rank() == last ? n + 1 : n, type<double>), error, files);
    CHECK(error == errc::not_same);
    world.barrier();
    CHECK(file::header_of(world, path, {}, files).shape[0] == n);  // the old file is unchanged
  }
  // A box that reaches beyond the array on one rank, or is invalid. The call must report it, and
  // the file must stay unchanged.
  auto const box = subarray({n, 4}, {2, 4}, {2 * world.rank() + (world.rank() == last ? 1 : 0), 0},
                            type<double>);
  auto const made = [&](auto part) {
    return [&, part](auto&... error) { file::create(world, path, part, {error...}, files); };
  };
  check_refused(world, errc::datatype, last, "move or shrink the box", opened(box));
  check_refused(world, errc::datatype, last, "move or shrink the box", made(box));
  auto const cells = array_part(
      std::vector<std::int64_t>{n},
      indexed_block(1, std::vector<std::int64_t>{world.rank() == last ? n : world.rank()},
                    type<double>));
  check_refused(world, errc::datatype, last, "reaches beyond the array", made(cells));
  if (world.rank() == last)
    CHECK_THROWS_WITH(cells.form(), Catch::Matchers::ContainsSubstring("beyond the array"));
  world.barrier();
  CHECK(file::header_of(world, path, {}, files).shape == std::vector<std::int64_t>{n, 4});
  check_npy_cut(world, path, n, tile, files);
}

}  // namespace argosy::test
