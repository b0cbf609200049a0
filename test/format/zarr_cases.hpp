// Zarr arrays in any world. Each function is called by all ranks, for any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/format/basic_zarr.hpp>

#include "format/npy_cases.hpp"

namespace argosy::test {

inline zarr_codec any_blosc(std::mt19937_64& random) {
  char const* const names[] = {"blosclz", "lz4", "lz4hc", "zlib", "zstd"};
  return zarr_codec::blosc(names[random() % 5], static_cast<int>(random() % 10),
                           static_cast<zarr_codec::shuffle>(random() % 3), 0,
                           random() % 2 == 0 ? 0 : 128);
}

// Chooses all options of an array at random.
inline zarr_options any_options(std::mt19937_64& random, std::vector<std::int64_t> const& shape) {
  auto const one_of = [&](std::uint64_t n) { return random() % n; };
  zarr_options how;
  bool const sharded = one_of(2) == 0;
  for (std::int64_t const n : shape) {
    how.chunks.push_back(1 + static_cast<std::int64_t>(one_of(static_cast<std::uint64_t>(n + 2))));
    if (sharded) how.shards.push_back(how.chunks.back() * static_cast<std::int64_t>(1 + one_of(3)));
  }
  if (one_of(2) == 0) {
    std::vector<int> order;
    for (std::size_t k = 0; k < shape.size(); ++k) order.push_back(static_cast<int>(k));
    std::ranges::shuffle(order, random);
    how.codecs.push_back(zarr_codec::transpose(order));
  }
  how.codecs.push_back(zarr_codec::bytes(one_of(3) == 0));
  for (auto k = one_of(3); k > 0; --k) {
    zarr_codec const all[] = {zarr_codec::crc32c(), zarr_codec::gzip(static_cast<int>(one_of(10))),
                              zarr_codec::zstd(static_cast<int>(one_of(7)), one_of(2) == 0),
                              any_blosc(random)};
    zarr_codec const& c = all[one_of(4)];
    if (c.is_available()) how.codecs.push_back(c);
  }
  how.write_empty_chunks = one_of(3) == 0;
  how.separator = one_of(2) == 0 ? '/' : '.';
  how.version_2_names = one_of(4) == 0;
  how.index_at_start = one_of(2) == 0;
  how.index_checksum = one_of(3) != 0;
  return how;
}

// Returns this rank's numbers of an array, counted in the order of the part, each plus `more`.
template <class T>
std::vector<T> values_of(dealt const& d, int rank, std::int64_t more = 0) {
  auto const numbers = d.numbers(rank);
  std::vector<T> mine(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) number_to(numbers[i] + more, mine[i]);
  return mine;
}

template <class T, communicator World>
void check_zarr_contents(World const& world, std::string const& path, opener const& files,
                         std::mt19937_64& random, dealt const& d, std::int64_t more) {
  int const readers = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(world.size()));
  World const some = world.split(world.rank() < readers ? 0 : 1, world.rank());
  dealt const other = d.again(random, readers);
  if (world.rank() < readers) {
    std::vector<T> back(other.numbers(some.rank()).size());
    auto z = basic_zarr<World>::open(some, path, other.tile<T>(some.rank()), mode::read, {}, files);
    z.read_all(back);
    z.close();
    CHECK(back == values_of<T>(other, some.rank(), more));
  }
  world.barrier();
}

template <class T, communicator World>
void check_random_zarr(World const& world, std::string const& path, opener const& files,
                       std::mt19937_64& random) {
  using zarr = basic_zarr<World>;
  dealt const d = dealt::any(random, world.size());
  zarr_options const how = any_options(random, d.sizes);
  CAPTURE(d.sizes, d.grid, d.block, static_cast<int>(d.o), how.chunks, how.shards, seed());
  zarr z = zarr::create(world, path, d.tile<T>(world.rank()), how, {}, files);
  std::vector<T> const first = values_of<T>(d, world.rank());
  z.write_all(first);
  z.close();
  zarr_header const h = zarr::header_of(world, path, {}, files);
  CHECK(h.shape == d.sizes);
  CHECK(h.type == dtype_of<T>());
  CHECK(h.options.chunks == how.chunks);
  CHECK(h.options.shards == how.shards);
  check_zarr_contents<T>(world, path, files, random, d, 0);

  // Other ranks' parts are written over it.
  dealt const other = d.again(random, world.size());
  z = zarr::open(world, path, other.tile<T>(world.rank()), mode::read_write, {}, files);
  std::vector<T> const second = values_of<T>(other, world.rank(), 5);
  z.write_all(second);
  z.close();
  check_zarr_contents<T>(world, path, files, random, d, 5);
}

template <communicator World>
void check_random_zarrs(World const& world, std::string const& path, opener const& files,
                        int rounds) {
  std::mt19937_64 random(seed());
  for (int i = 0; i < rounds; ++i) {
    check_random_zarr<double>(world, path, files, random);
    check_random_zarr<std::int16_t>(world, path, files, random);
    check_random_zarr<std::complex<float>>(world, path, files, random);
  }
}

// Ranks write parts of shards alone, at the same time.
template <communicator World>
void check_zarr_alone(World const& world, std::string const& path, opener const& files) {
  using zarr = basic_zarr<World>;
  std::int64_t const n = 40 * world.size();
  darray<double, 1> const tile({n}, distribute::cyclic(3), {world.size()}, world.rank());
  zarr_options const how{.chunks = {4}, .shards = {32}, .codecs = {zarr_codec::crc32c()}};
  dealt const d{{n}, {world.size()}, {3}, order::c};
  std::vector<double> const mine = values_of<double>(d, world.rank());
  zarr z = zarr::create(world, path, tile, how, {}, files);
  // The numbers of elements in the linear space are those of the array, since it has one dimension.
  z.file().write_at(0, mine);
  z.file().sync();
  std::vector<double> back(mine.size());
  z.file().read_at(0, back);
  CHECK(back == mine);
  z.close();
  z = zarr::open(world, path, tile, mode::read, {}, files);
  std::ranges::fill(back, 0);
  z.read_all(back);
  z.close();
  CHECK(back == mine);
}

// A time axis: the array grows, and each step is written by itself.
template <communicator World>
void check_zarr_growth(World const& world, std::string const& path, opener const& files) {
  using zarr = basic_zarr<World>;
  std::int64_t const n = 7 * world.size();
  auto const step = [&](std::int64_t t, std::int64_t steps) {
    return subarray({steps, n}, {1, 7}, {t, 7 * world.rank()}, type<std::int32_t>);
  };
  auto const values = [&](std::int64_t t) {
    return std::vector<std::int32_t>(7, static_cast<std::int32_t>(100 * t + world.rank()));
  };
  zarr_options const how{.chunks = {2, 5}, .shards = {4, 10}, .fill_value = "-1"};
  zarr z = zarr::create(world, path, step(0, 1), how, {}, files);
  auto const write = [&](std::int64_t t) {
    auto const mine = values(t);
    z.write_all(mine);
  };
  write(0);
  z.close();
  z = zarr::open(world, path, step(0, 1), mode::read_write, {}, files);
  for (std::int64_t t = 1; t < 7; ++t) {
    z.grow(step(t, t + 1));
    if (t != 4) write(t);  // one step stays as it is
  }
  CHECK(z.header().shape == std::vector<std::int64_t>{7, n});
  std::error_code error;
  z.grow(step(0, 3), error);
  CHECK(error == errc::argument);
  CHECK_THAT(z.what_failed(), Catch::Matchers::ContainsSubstring("is not larger"));
  for (std::int64_t t = 0; t < 7; ++t) {
    std::vector<std::int32_t> back(7);
    z.set_part(step(t, 7));
    z.read_all(back);
    CHECK(back == (t == 4 ? std::vector<std::int32_t>(7, -1) : values(t)));
  }
  z.close();
  CHECK(zarr::header_of(world, path, {}, files).shape == std::vector<std::int64_t>{7, n});
}

template <communicator World>
void check_zarr_errors(World const& world, std::string const& path, opener const& files) {
  using zarr = basic_zarr<World>;
  auto const rows = [&](std::int64_t n, auto type) {
    return darray(std::vector<std::int64_t>{n, 4}, distribute::block,
                  std::vector<std::int64_t>{world.size(), 1}, world.rank(), type);
  };
  std::int64_t const n = 2 * world.size();
  auto const tile = rows(n, type<double>);
  std::vector<double> const mine(8, world.rank() + 1);
  int const last = world.size() - 1;
  auto const opened = [&](auto part) {
    return
        [&, part](auto&... error) { zarr::open(world, path, part, mode::read, {error...}, files); };
  };
  auto const made = [&](auto part, zarr_options const& how) {
    return [&, part](auto&... error) { zarr::create(world, path, part, how, {error...}, files); };
  };
  check_refused(world, errc::no_such_file, 0, "no such file", opened(tile));
  check_refused(world, errc::argument, -1, "2 dimensions", made(tile, {.chunks = {3}}));
  check_refused(world, errc::datatype, -1, "Zarr has no data type",
                made(rows(n, type<particle>), {}));
  zarr z = zarr::create(world, path, tile, {.chunks = {3, 3}}, {}, files);
  // If the data of one rank is wrong, no rank writes, and the array is not whole.
  std::vector<double> const other(world.rank() == last ? 7u : 8u, 7);
  check_refused(world, errc::datatype, last, "the data is 7 float64",
                [&](auto&... error) { z.write_all(other, error...); });
  check_refused(world, errc::damaged, 0, "the array is not whole", [&](auto&... error) {
    if (!z.file().is_open()) z = zarr::create(world, path, tile, {.chunks = {3, 3}}, {}, files);
    std::error_code ignored;
    z.write_all(other, ignored);
    z.close(error...);
  });
  check_refused(world, errc::no_such_file, 0, "no such file", opened(tile));
  z = zarr::create(world, path, tile, {.chunks = {3, 3}}, {}, files);
  z.write_all(mine);
  z.close();
  check_refused(world, errc::file, -1, "not open", [&](auto&... e) { z.close(e...); });
  std::string const both =
      "the array is of '<f8' (" + std::to_string(n) + ", 4), chunks (3, 3), the program's is of ";
  check_refused(world, errc::datatype, -1, both + "'<f4' (" + std::to_string(n) + ", 4)",
                opened(rows(n, type<float>)));
  check_refused(world, errc::datatype, -1, both + "'<f8' (" + std::to_string(n + 1) + ", 4)",
                opened(rows(n + 1, type<double>)));
  z = zarr::open(world, path, tile, mode::read, {}, files);
  check_refused(world, errc::read_only, -1, "", [&](auto&... e) { z.write_all(mine, e...); });
  check_refused(world, errc::read_only, -1, "for reading only",
                [&](auto&... e) { z.grow(rows(n + 2, type<double>), e...); });
  std::vector<double> back(8);
  z.read_all(back);
  CHECK(back == mine);
  z.close();
  if (world.size() > 1) {
    std::error_code error;
    auto const not_same = rows(world.rank() == last ? n + 1 : n, type<double>);
    zarr::create(world, path, not_same, {}, error, files);
    CHECK(error == errc::not_same);
    zarr::create(world, path, tile, {.chunks = {world.rank() == last ? 2 : 1, 1}}, error, files);
    CHECK(error == errc::not_same);
  }
}

// A group with an array in it, and what has its name otherwise.
template <communicator World>
void check_zarr_groups(World const& world, std::string const& path, opener const& files) {
  using zarr = basic_zarr<World>;
  zarr::create_group(world, path, R"({"title": "a run"})", {}, files);
  darray<float, 1> const tile({8}, distribute::block, {world.size()}, world.rank());
  std::vector<float> mine(static_cast<std::size_t>(array_part(tile).elements()), 2);
  zarr z = zarr::create(world, path + "/u", tile, {}, {}, files);
  z.write_all(mine);
  z.close();
  zarr::create_group(world, path, {}, {}, files);  // other attributes
  check_refused(world, errc::datatype, 0, "it is a group", [&](auto&... error) {
    zarr::open(world, path, tile, mode::read, {error...}, files);
  });
  check_refused(world, errc::file_exists, 0, "has other metadata",
                [&](auto&... error) { zarr::create(world, path, tile, {}, {error...}, files); });
  check_refused(world, errc::file_exists, 0, "is no group", [&](auto&... error) {
    zarr::create_group(world, path + "/u", {}, {error...}, files);
  });
  check_refused(world, errc::argument, -1, "no JSON object", [&](auto&... error) {
    zarr::create_group(world, path + "/v", "3", {error...}, files);
  });
  z = zarr::open(world, path + "/u", tile, mode::read, {}, files);
  z.read_all(mine);
  z.close();
  CHECK(std::ranges::count(mine, 2) == std::ssize(mine));
}

}  // namespace argosy::test
