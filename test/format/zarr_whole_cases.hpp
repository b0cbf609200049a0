// Zarr arrays of which each rank has whole shards, in any world. Each function is called by all
// ranks, for any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <argosy/policy/independent.hpp>

#include "format/zarr_cases.hpp"

namespace argosy::test {

// The block of a rank, and the options of the array.
struct block_of_shards {
  zarr_options how;
  std::vector<std::int64_t> shape, sizes, starts;
  bool ragged = false;  // the array ends within a shard

  // Each rank has up to 2 shards along each dimension.
  static block_of_shards any(std::mt19937_64& random, int ranks, int rank) {
    auto const up_to = [&](int n) {
      return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    block_of_shards b;
    int const dimensions = static_cast<int>(up_to(3));
    process_grid const grid(ranks, dimensions);
    std::vector<std::int64_t> at(grid.extents().size());
    for (std::size_t k = at.size(); k-- > 0; rank /= static_cast<int>(grid.extents()[k]))
      at[k] = rank % grid.extents()[k];
    for (std::size_t k = 0; k < at.size(); ++k) {
      std::int64_t const chunk = up_to(4), shard = chunk * up_to(3), mine = shard * up_to(2);
      b.how.chunks.push_back(chunk);
      b.how.shards.push_back(shard);
      b.shape.push_back(mine * grid.extents()[k]);
      b.sizes.push_back(mine);
      b.starts.push_back(mine * at[k]);
    }
    if (random() % 2 == 0) b.how.codecs = {zarr_codec::crc32c()};
    for (std::size_t k = 0; k < at.size(); ++k)
      if (std::int64_t const less = up_to(3); less < b.how.shards[k] && random() % 3 == 0) {
        b.ragged = true;
        b.shape[k] -= less;
        b.sizes[k] = std::min(b.sizes[k], b.shape[k] - b.starts[k]);
      }
    return b;
  }
  auto tile() const { return subarray(shape, sizes, starts, type<double>); }
  std::int64_t elements() const {
    std::int64_t n = 1;
    for (std::int64_t const size : sizes) n *= size;
    return n;
  }
  // The chunks in which the block has elements.
  std::int64_t chunks() const {
    std::int64_t n = 1;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      n *= (sizes[k] + how.chunks[k] - 1) / how.chunks[k];
    return n;
  }
  // The numbers of the elements in the whole array, each plus `more`.
  std::vector<double> values(double more) const {
    std::vector<double> all;
    for (std::int64_t i = 0; i < elements(); ++i) {
      std::int64_t rest = i, number = 0, step = 1;
      for (std::size_t k = shape.size(); k-- > 0;) {
        number += (starts[k] + rest % sizes[k]) * step;
        rest /= sizes[k];
        step *= shape[k];
      }
      all.push_back(static_cast<double>(number) + more);
    }
    return all;
  }
};

// Writes and reads whole shards, from dense memory and from memory with gaps, and compares with
// what ranks read in slices that cut shards.
template <communicator World>
void check_whole_shards(World const& world, std::string const& path, opener const& files,
                        int rounds) {
  using zarr = basic_zarr<World>;
  std::mt19937_64 random(seed());
  for (int round = 0; round < rounds; ++round) {
    block_of_shards const b = block_of_shards::any(random, world.size(), world.rank());
    bool const scattered = (random() + static_cast<unsigned>(world.rank())) % 2 == 0;
    CAPTURE(seed(), round, b.shape, b.sizes, b.starts, b.how.chunks, b.how.shards, scattered);
    auto const mine = b.values(1 + round), other = b.values(1000 + round);
    std::vector<double> spread(3 * mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) spread[3 * i] = mine[i];
    auto const every_third = vector(b.elements(), 1, 3, type<double>);
    zarr z = zarr::create(world, path, b.tile(), b.how, {}, files);
    report const first =
        scattered ? z.write_all({spread.data(), every_third, 1}) : z.write_all(mine);
    CHECK(first.policy == "whole_shards");
    CHECK(first.messages == 0);
    CHECK(first.bytes_written == 8 * b.elements());
    CHECK(z.encoding().encoded.chunks == b.chunks());
    z.close();

    z = zarr::open(world, path, b.tile(), mode::read_write, {}, files);
    std::vector<double> back(mine.size()), apart(3 * mine.size(), -1);
    CHECK(z.read_all(back).policy == "whole_shards");
    CHECK(back == mine);
    CHECK(z.read_all({apart.data(), every_third, 1}).bytes == first.bytes);
    for (std::size_t i = 0; i < apart.size(); ++i)
      if (apart[i] != (i % 3 == 0 ? mine[i / 3] : -1)) FAIL("element " << i << " is " << apart[i]);
    z.write_all(other);
    // Slices of the last dimension.
    auto slice = b;
    std::size_t const last = b.shape.size() - 1;
    std::ranges::fill(slice.starts, 0);
    slice.sizes = b.shape;
    slice.starts[last] = b.shape[last] * world.rank() / world.size();
    slice.sizes[last] = b.shape[last] * (world.rank() + 1) / world.size() - slice.starts[last];
    z.set_part(slice.tile());
    std::vector<double> sliced(static_cast<std::size_t>(slice.elements()));
    z.read_all(sliced);
    CHECK(sliced == slice.values(1000 + round));
    z.close();
  }
}

// Ranks do not go by themselves if one of them cuts a shard, has nearly everything, or has what
// another one has, or if the program or a hint says so.
template <communicator World>
void check_shared_shards(World const& world, std::string const& path, opener const& files) {
  using zarr = basic_zarr<World>;
  int const ranks = world.size(), me = world.rank();
  std::int64_t const n = 12 * ranks;
  auto const policy = [&](std::int64_t low, std::int64_t high, hints const& with = {},
                          auto const&... given) {
    auto const part = subarray({n, 3}, {high - low, 3}, {low, 0}, type<float>);
    zarr z = zarr::create(world, path, part, {.chunks = {2, 3}, .shards = {4, 3}}, with, files);
    std::vector<float> const mine(static_cast<std::size_t>(3 * (high - low)), 1);
    zarr_plan const p = z.explain_all(access_kind::write, mine, given...);
    report const r = z.write_all(mine, given...);
    CHECK(p.file.policy == r.policy);
    z.close();
    return r.policy;
  };
  std::int64_t const low = 12 * me, high = low + 12;
  CHECK(policy(low, high) == "whole_shards");
  if (ranks > 1)
    CHECK(policy(low, me == 0 ? low : high) == (ranks == 2 ? "two_phase" : "whole_shards"));
  CHECK(policy(me == ranks - 1 ? 0 : n, n) == (ranks == 1 ? "whole_shards" : "two_phase"));
  CHECK(policy(low, high, {}, independent{}) == "independent");
  CHECK(policy(low, high, {.cb_write = tristate::enable}) == "two_phase");
  CHECK(policy(low, high, {.policy = "sieving"}) == "sieving");
  // More than 1,024 pieces of a shard, because chunks are wider than the array.
  auto const of_width = [&](std::int64_t width) {
    auto const part = subarray({3000 * ranks, width}, {3000, width}, {3000 * me, 0}, type<double>);
    zarr z = zarr::create(world, path, part,
                          {.chunks = {500, width + 1}, .shards = {1500, width + 1}}, {}, files);
    std::vector<double> const mine(static_cast<std::size_t>(3000 * width), 1 + me);
    report const r = z.write_all(mine);
    if (r.policy == "whole_shards") CHECK(z.encoding().encoded.chunks == 6);
    std::vector<double> back(mine.size());
    CHECK(z.read_all(back).policy == r.policy);
    CHECK(back == mine);
    z.close();
    return r.policy;
  };
  CHECK(of_width(39) == "whole_shards");
  CHECK(of_width(3) == "two_phase");
  if (ranks > 1) {
    CHECK(policy(0, 12) == "two_phase");
    CHECK(policy(me == ranks - 1 ? 0 : low, me == ranks - 1 ? 12 : high) == "two_phase");
    CHECK(policy(me == 0 ? 0 : low - 2, me == ranks - 1 ? n : high - 2) == "two_phase");
    CHECK(policy(0, n) == "two_phase");
  }
  // Memory that is too small on one rank is an error on all.
  auto const part = subarray({n, 3}, {12, 3}, {low, 0}, type<float>);
  zarr z = zarr::create(world, path, part, {.chunks = {2, 3}, .shards = {4, 3}}, {}, files);
  std::vector<float> const less(me == ranks - 1 ? 35u : 36u);
  check_refused(world, errc::datatype, ranks - 1, "the data is 35 float32",
                [&](auto&... error) { z.write_all(less, error...); });
  std::error_code error;
  z.close(error);
  CHECK(error == (me == 0 ? errc::damaged : errc::error_on_another_rank));
}

}  // namespace argosy::test
