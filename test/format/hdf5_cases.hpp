// HDF5 files in any world. Each function is called by all ranks, for any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/format/basic_hdf5.hpp>

#include "format/npy_cases.hpp"

namespace argosy::test {

// Chooses the layout of a dataset at random: contiguous, chunks, or chunks with filters.
inline hdf5_options any_layout(std::mt19937_64& random, std::vector<std::int64_t> const& shape) {
  auto const one_of = [&](std::uint64_t n) { return random() % n; };
  hdf5_options how;
  auto const kind = one_of(3);
  if (kind == 0) return how;
  for (std::int64_t const n : shape)
    how.chunks.push_back(1 + static_cast<std::int64_t>(one_of(static_cast<std::uint64_t>(n + 2))));
  if (one_of(3) == 0) how.most = shape[0] + 1 + static_cast<std::int64_t>(one_of(5));
  if (kind == 1) return how;
  for (auto k = 1 + one_of(3); k > 0; --k) {
    hdf5_filter const all[] = {hdf5_filter::shuffle(), hdf5_filter::fletcher32(),
                               hdf5_filter::deflate(static_cast<int>(one_of(10))),
                               hdf5_filter::zstd(static_cast<int>(1 + one_of(6)))};
    hdf5_filter const& f = all[one_of(4)];
    if (f.is_available()) how.filters.push_back(f);
  }
  return how;
}

// Returns this rank's numbers of an array, each plus `more`.
template <class T>
std::vector<T> numbered(dealt const& d, int rank, std::int64_t more = 0) {
  auto const numbers = d.numbers(rank);
  std::vector<T> mine(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) number_to(numbers[i] + more, mine[i]);
  return mine;
}

template <class T, communicator World>
void check_hdf5_contents(World const& world, std::string const& path, opener const& files,
                         std::mt19937_64& random, dealt const& d, std::int64_t more) {
  int const readers = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(world.size()));
  World const some = world.split(world.rank() < readers ? 0 : 1, world.rank());
  dealt const other = d.again(random, readers);
  if (world.rank() < readers) {
    auto const wanted = other.numbers(some.rank());
    std::vector<T> back(wanted.size());
    auto f = basic_hdf5<World>::open(some, path, mode::read, {}, files);
    f.read_all("g/u", other.tile<T>(some.rank()), back);
    f.close();
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < back.size(); ++i) wrong += !is_number(wanted[i] + more, back[i]);
    CHECK(wrong == 0);
  }
  world.barrier();
}

template <class T, communicator World>
void check_random_hdf5(World const& world, std::string const& path, opener const& files,
                       std::mt19937_64& random) {
  using hdf5 = basic_hdf5<World>;
  dealt d = dealt::any(random, world.size());
  d.o = order::c;
  hdf5_content c;
  c.add("g/u", d.tile<T>(world.rank()), any_layout(random, d.sizes));
  c.add("a", type<double>, {.attributes = {{"units", "K"}}}).add_group("g", {{"n", 3}});
  CAPTURE(to_string(c), d.grid, d.block, seed());
  auto f = hdf5::create(world, path, c, {}, files);
  std::vector<T> const first = numbered<T>(d, world.rank());
  f.write_all("g/u", d.tile<T>(world.rank()), first);
  f.close();
  hdf5_content const found = hdf5::content_of(world, path, {}, files);
  REQUIRE(found.find("g/u"));
  CHECK(found.find("g/u")->shape == d.sizes);
  CHECK(found.find("g/u")->type == dtype_of<T>());
  CHECK(found.find("g/u")->options.filters == c.datasets[0].options.filters);
  CHECK(found.find("a")->options.attributes == c.datasets[1].options.attributes);
  CHECK(found.groups == c.groups);
  check_hdf5_contents<T>(world, path, files, random, d, 0);

  // Other ranks' parts are written over it.
  dealt const other = d.again(random, world.size());
  f = hdf5::open(world, path, mode::read_write, {}, files);
  std::vector<T> const second = numbered<T>(other, world.rank(), 5);
  f.write_all("g/u", other.tile<T>(world.rank()), second);
  std::vector<T> back(first.size());
  f.read_all("g/u", d.tile<T>(world.rank()), back);
  f.close();
  auto const wanted = d.numbers(world.rank());
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < back.size(); ++i) wrong += !is_number(wanted[i] + 5, back[i]);
  CHECK(wrong == 0);
  check_hdf5_contents<T>(world, path, files, random, d, 5);
}

template <communicator World>
void check_random_hdf5_files(World const& world, std::string const& path, opener const& files,
                             int rounds) {
  std::mt19937_64 random(seed());
  for (int i = 0; i < rounds; ++i) {
    check_random_hdf5<double>(world, path, files, random);
    check_random_hdf5<std::int16_t>(world, path, files, random);
    check_random_hdf5<std::complex<float>>(world, path, files, random);
    check_random_hdf5<particle>(world, path, files, random);
  }
}

// A time axis: the dataset grows, and each step is written by itself.
template <communicator World>
void check_hdf5_growth(World const& world, std::string const& path, opener const& files,
                       std::vector<hdf5_filter> const& filters) {
  using hdf5 = basic_hdf5<World>;
  std::int64_t const n = 7 * world.size();
  auto const step = [&](std::int64_t t, std::int64_t steps) {
    return subarray({steps, n}, {1, 7}, {t, 7 * world.rank()}, type<std::int32_t>);
  };
  auto const values = [&](std::int64_t t) {
    return std::vector<std::int32_t>(7, static_cast<std::int32_t>(100 * t + world.rank()));
  };
  hdf5_content c;
  c.add("u", step(0, 1),
        {.chunks = {2, 5}, .filters = filters, .most = 9, .dimension_names = {"time", "x"}});
  c.add_group("g", {{"steps", 1}, {"title", "a run"}});
  auto f = hdf5::create(world, path, c, {}, files);
  auto const write = [&](std::int64_t t, std::int64_t steps) {
    auto const mine = values(t);
    f.write_all("u", step(t, steps), mine);
  };
  write(0, 1);
  f.close();
  for (std::int64_t t = 1; t < 7; ++t) {
    if (!f.file().is_open()) f = hdf5::open(world, path, mode::read_write, {}, files);
    f.grow("u", t + 1);
    f.set_attribute("g", {"steps", static_cast<int>(t + 1)});
    if (t != 4) write(t, t + 1);  // one step stays as it is
    if (t % 2 == 0)
      f.close();
    else
      f.sync();
  }
  f = hdf5::open(world, path, mode::read_write, {}, files);
  CHECK(f.content().find("u")->shape == std::vector<std::int64_t>{7, n});
  CHECK(f.content().find("u")->options.dimension_names == std::vector<std::string>{"time", "x"});
  REQUIRE(f.content().groups.size() == 1);
  CHECK(f.content().groups[0].attributes ==
        std::vector<hdf5_attribute>{{"steps", 7}, {"title", "a run"}});
  auto const set = [&](std::string const& of, hdf5_attribute const& a) {
    return [&f, of, a](auto&... error) { f.set_attribute(of, a, error...); };
  };
  check_refused(world, errc::argument, -1, "no group and no dataset 'h'", set("h", {"steps", 1}));
  check_refused(world, errc::argument, -1, "no attribute 'step'", set("g", {"step", 1}));
  check_refused(world, errc::argument, -1, "is of '<i4' ()", set("g", {"steps", 1.5}));
  check_refused(world, errc::argument, -1, "and the new value of '|S7'",
                set("g", {"title", "another"}));
  check_refused(world, errc::argument, -1, "may have up to 9, not 10",
                [&](auto&... error) { f.grow("u", 10, error...); });
  for (std::int64_t t = 0; t < 7; ++t) {
    std::vector<std::int32_t> back(7);
    f.read_all("u", step(t, 7), back);
    CHECK(back == (t == 4 ? std::vector<std::int32_t>(7, 0) : values(t)));
  }
  f.close();
}

template <communicator World>
void check_hdf5_errors(World const& world, std::string const& path, opener const& files) {
  using hdf5 = basic_hdf5<World>;
  auto const rows = [&](std::int64_t n, auto type, order o = order::c) {
    return darray(std::vector<std::int64_t>{n, 4}, distribute::block,
                  std::vector<std::int64_t>{world.size(), 1}, world.rank(), type, o);
  };
  std::int64_t const n = 2 * world.size();
  auto const tile = rows(n, type<double>);
  std::vector<double> const mine(8, world.rank() + 1);
  int const last = world.size() - 1;
  auto const made = [&](hdf5_content const& c) {
    return [&, c](auto&... error) { hdf5::create(world, path, c, {error...}, files); };
  };
  auto const opened = [&](auto&... error) {
    hdf5::open(world, path, mode::read, {error...}, files);
  };
  check_refused(world, errc::no_such_file, -1, "no such file", opened);
  check_refused(world, errc::argument, -1, "is there twice",
                made(hdf5_content().add("u", tile).add("u", tile)));
  check_refused(world, errc::argument, -1, "is no name of HDF5",
                made(hdf5_content().add("a//u", tile)));
  check_refused(world, errc::argument, -1, "a chunk 1",
                made(hdf5_content().add("u", tile, {.chunks = {3}})));
  check_refused(world, errc::argument, -1, "has 4 elements, and 5 in 'v'",
                made(hdf5_content()
                         .add("u", rows(4, type<double>), {.dimension_names = {"y", "x"}})
                         .add("v", rows(5, type<double>), {.dimension_names = {"y", "x"}})));
  auto f = hdf5::create(world, path, hdf5_content().add("u", tile), {}, files);
  // If the data of one rank is wrong, no rank writes, and the file is not whole.
  std::vector<double> const other(world.rank() == last ? 7u : 8u, 7);
  check_refused(world, errc::datatype, last, "the data is 7 float64",
                [&](auto&... error) { f.write_all("u", tile, other, error...); });
  check_refused(world, errc::damaged, -1, "the file is not whole", [&](auto&... error) {
    if (!f.file().is_open()) {
      f = hdf5::create(world, path, hdf5_content().add("u", tile), {}, files);
      std::error_code ignored;
      f.write_all("u", tile, other, ignored);
    }
    f.close(error...);
  });
  check_refused(world, errc::no_such_file, -1, "no such file", opened);
  // The success of another dataset mends nothing.
  hdf5_content const two = hdf5_content().add("u", tile).add("v", tile);
  check_refused(world, errc::damaged, -1, "the last write_all of 'u' failed", [&](auto&... error) {
    f = hdf5::create(world, path, two, {}, files);
    std::error_code ignored;
    f.write_all("u", tile, other, ignored);
    f.write_all("v", tile, mine);
    f.close(error...);
  });
  check_refused(world, errc::no_such_file, -1, "no such file", opened);
  f = hdf5::create(world, path, hdf5_content().add("u", tile), {}, files);
  std::error_code ignored;
  f.write_all("u", tile, other, ignored);
  f.write_all("u", tile, mine);
  f.close();
  check_refused(world, errc::file, -1, "not open", [&](auto&... e) { f.close(e...); });
  f = hdf5::open(world, path, mode::read, {}, files);
  std::vector<double> back(8);
  auto const read = [&](std::string const& name, auto part) {
    return [&, name, part](auto&... e) { f.read_all(name, part, back, e...); };
  };
  check_refused(world, errc::argument, -1, "the file has no dataset 'v'; it has\nu '<f8'",
                read("v", tile));
  check_refused(world, errc::datatype, -1, "the program's is of '<f4'",
                read("u", rows(n, type<float>)));
  check_refused(world, errc::datatype, -1, "give the program's that size before",
                read("u", rows(n + 1, type<double>)));
  check_refused(world, errc::datatype, -1, "in C order",
                read("u", rows(n, type<double>, order::fortran)));
  check_refused(world, errc::read_only, -1, "for reading only",
                [&](auto&... e) { f.write_all("u", tile, mine, e...); });
  f.read_all("u", tile, back);
  CHECK(back == mine);
  f.close();
  if (world.size() > 1) {
    std::error_code error;
    auto const not_same = rows(world.rank() == last ? n + 1 : n, type<double>);
    hdf5::create(world, path, hdf5_content().add("u", not_same), error, files);
    CHECK(error == errc::not_same);
  }
}

}  // namespace argosy::test
