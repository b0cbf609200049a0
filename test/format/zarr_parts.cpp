// The linear space of the chunks of a Zarr array, and the layouts of ranks' parts in it.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/zarr/zarr_grid.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/layout/cursor.hpp>

#include "format/array_cases.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;
using io::detail::zarr_grid;
using io::detail::zarr_selection;

namespace {

using numbers = std::vector<std::int64_t>;

io::zarr_header header_of(numbers shape, numbers chunks, numbers shards = {}) {
  io::zarr_header h{std::move(shape),
                    io::extend::dtype_of<std::int32_t>(),
                    {.chunks = std::move(chunks), .shards = std::move(shards)}};
  REQUIRE_FALSE(io::detail::complete(h));
  return h;
}

// Returns the linear offset of each element, in the order of C, counted without the grid's own
// functions: shards, their chunks and their elements are listed one by one.
numbers offsets_of(io::zarr_header const& h) {
  std::size_t const d = h.shape.size();
  numbers const& chunk = h.options.chunks;
  numbers const& shard = h.options.shards.empty() ? chunk : h.options.shards;
  std::map<numbers, std::int64_t> found;
  std::int64_t next = 0;
  // Calls f with each index below `counts`, in the order of C.
  auto const each = [d](numbers const& counts, auto const& f) {
    numbers at(d);
    for (std::int64_t const n : counts)
      if (n == 0) return;
    for (;;) {
      f(at);
      std::size_t k = d;
      while (k > 0 && ++at[k - 1] == counts[k - 1]) at[--k] = 0;
      if (k == 0) return;
    }
  };
  numbers shards(d), chunks(d);
  for (std::size_t k = 0; k < d; ++k) {
    shards[k] = (h.shape[k] + shard[k] - 1) / shard[k];
    chunks[k] = shard[k] / chunk[k];
  }
  each(shards, [&](numbers const& s) {
    each(chunks, [&](numbers const& c) {
      each(chunk, [&](numbers const& e) {
        numbers index(d);
        for (std::size_t k = 0; k < d; ++k) index[k] = s[k] * shard[k] + c[k] * chunk[k] + e[k];
        found[index] = 4 * next++;
      });
    });
  });
  numbers all;
  each(h.shape, [&](numbers const& index) { all.push_back(found.at(index)); });
  return all;
}

// Returns the places of the 4-byte items of a layout, in stream order.
numbers items_of(io::layout const& l) {
  numbers all;
  for (io::extend::cursor c(l); !c.done();) {
    all.push_back(c.current().offset);
    c.advance(4);
  }
  return all;
}

// Returns true if the part has all elements, or none, of each group of this many bytes. `all` are
// the offsets of the array's elements, `mine` those of the part's.
bool has_whole_groups(numbers const& all, numbers const& mine, std::int64_t bytes) {
  std::map<std::int64_t, std::int64_t> in_all, in_mine;
  for (std::int64_t const at : all) ++in_all[at / bytes];
  for (std::int64_t const at : mine) ++in_mine[at / bytes];
  return std::ranges::all_of(in_mine, [&](auto const& g) { return in_all[g.first] == g.second; });
}

// Compares a part in the linear space with the list of all offsets. `mine`: the numbers of its
// elements in the order of its stream, counted in the order of C.
void check_part(io::zarr_header const& h, io::array_part const& part, numbers const& mine) {
  zarr_grid const grid(h);
  zarr_selection const s(grid, part.form(), part.order());
  numbers const all = offsets_of(h);
  std::vector<std::pair<std::int64_t, std::int64_t>> expected;  // place in the file, in the part
  for (std::size_t i = 0; i < mine.size(); ++i)
    expected.push_back({all[static_cast<std::size_t>(mine[i])], static_cast<std::int64_t>(4 * i)});
  std::ranges::sort(expected);
  numbers file, dense, spread;
  for (auto const& [at, from] : expected) {
    file.push_back(at);
    dense.push_back(from);
    spread.push_back(100 + 3 * from);
  }
  CHECK(items_of(s.file()) == file);
  bool const fits = s.is_box() || mine.empty();
  CHECK(s.has_whole_chunks() == (fits && has_whole_groups(all, file, grid.chunk_bytes())));
  CHECK(s.has_whole_shards() == (fits && has_whole_groups(all, file, grid.shard_bytes())));
  CHECK(s.file().is_monotonic());
  CHECK(s.file().extent() == grid.bytes());
  auto const n = static_cast<std::int64_t>(mine.size());
  CHECK(items_of(s.memory(io::bytes(4 * n))) == dense);
  CHECK(items_of(s.memory(io::at(100, io::repeat(n, 12, io::bytes(4))))) == spread);
}

// The numbers of a dealt array's elements, counted in the order of C.
numbers in_c(dealt const& d, int rank) {
  numbers mine = d.numbers(rank);
  if (d.o == io::order::c) return mine;
  for (std::int64_t& n : mine) {
    numbers index;
    for (std::int64_t const size : d.sizes) {
      index.push_back(n % size);
      n /= size;
    }
    n = 0;
    for (std::size_t k = 0; k < index.size(); ++k) n = n * d.sizes[k] + index[k];
  }
  return mine;
}

// Chooses chunks, and shards on every second call.
io::zarr_header any_header(std::mt19937_64& random, numbers const& shape) {
  numbers chunks, shards;
  bool const sharded = random() % 2 == 0;
  for (std::int64_t const n : shape) {
    chunks.push_back(1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n + 2)));
    if (sharded) shards.push_back(chunks.back() * static_cast<std::int64_t>(1 + random() % 3));
  }
  return header_of(shape, std::move(chunks), std::move(shards));
}

}  // namespace

TEST_CASE("a rank's part in the linear space is the list of its elements' places",
          "[format][zarr][random]") {
  std::mt19937_64 random(seed());
  for (int round = 0; round < 60; ++round) {
    int const ranks = 1 + static_cast<int>(random() % 7);
    dealt d = dealt::any(random, ranks);
    for (std::int64_t& n : d.sizes) n = std::min<std::int64_t>(n, 17);
    io::zarr_header const h = any_header(random, d.sizes);
    CAPTURE(round, seed(), d.sizes, d.grid, d.block, h.options.chunks, h.options.shards);
    for (int rank = 0; rank < ranks; ++rank)
      check_part(h, d.tile<std::int32_t>(rank), in_c(d, rank));
  }
}

TEST_CASE("the layout of a box has at most 3^d parts, and none if it is of whole shards",
          "[format][zarr]") {
  auto const box = [](io::zarr_header const& h, numbers sizes, numbers starts) {
    io::array_part const part = io::subarray(h.shape, sizes, starts, io::type<std::int32_t>);
    zarr_selection const s(zarr_grid(h), part.form(), io::order::c);
    CHECK(s.is_box());
    CHECK(s.file().is_regular());
    CHECK(
        s.file().size() ==
        part.bytes() /
            std::accumulate(h.shape.begin(), h.shape.end(), std::int64_t{1}, std::multiplies<>()) *
            std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()));
    return s.file().places().size();
  };
  auto const h = header_of({1000000, 1000000, 1000}, {100, 100, 10});
  CHECK(box(h, {500000, 700000, 500}, {100000, 300000, 200}) == 0);
  CHECK(box(h, {500001, 700050, 503}, {100050, 200070, 205}) <= 27 + 9 + 3);
  // Chunks of shards that a box cuts are parts of their own.
  auto const sharded = header_of({1000000, 1000000}, {100, 100}, {1000, 1000});
  CHECK(box(sharded, {500000, 700000}, {100000, 300000}) == 0);
  CHECK(box(sharded, {500030, 700070}, {100250, 200350}) <= 44);
  // A scalar.
  auto const scalar = header_of({}, {});
  zarr_selection const one(zarr_grid(scalar), io::bytes(4), io::order::c);
  CHECK(items_of(one.file()) == numbers{0});
}

TEST_CASE("memory of several steps is arranged without a list", "[format][zarr]") {
  auto const h = header_of({64, 48}, {8, 8}, {16, 16});
  io::array_part const part = io::subarray({64, 48}, {40, 24}, {12, 20}, io::type<std::int32_t>);
  zarr_selection const s(zarr_grid(h), part.form(), io::order::c);
  // An interior with ghost cells, and memory in Fortran order.
  io::layout const ghosts = io::at(500, io::repeat(40, 4 * 30, io::bytes(4 * 24)));
  io::layout const columns = io::repeat(40, 4, io::repeat(24, 4 * 40, io::bytes(4)));
  for (io::layout const& memory : {ghosts, columns}) {
    io::layout const arranged = s.memory(memory);
    CHECK(arranged.is_regular());
    numbers const dense = items_of(s.memory(io::bytes(4 * 40 * 24))), items = items_of(memory);
    numbers expected;
    for (std::int64_t const at : dense) expected.push_back(items[static_cast<std::size_t>(at / 4)]);
    CHECK(items_of(arranged) == expected);
  }
}

TEST_CASE("shards have the names of the format", "[format][zarr]") {
  auto h = header_of({10, 20}, {4, 5}, {4, 10});
  zarr_grid const grid(h);
  CHECK(grid.shards() == 6);
  CHECK(grid.name_of(0, h.options) == "c/0/0");
  CHECK(grid.name_of(5, h.options) == "c/2/1");
  h.options.separator = '.';
  CHECK(grid.name_of(3, h.options) == "c.1.1");
  h.options.version_2_names = true;
  CHECK(grid.name_of(3, h.options) == "1.1");
  auto const scalar = header_of({}, {});
  CHECK(zarr_grid(scalar).name_of(0, scalar.options) == "c");
  io::zarr_options const old{.version_2_names = true};
  CHECK(zarr_grid(scalar).name_of(0, old) == "0");
}
