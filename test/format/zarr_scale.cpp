// A collective write of a Zarr array by many virtual ranks: what explain_all() predicts of it, as
// far as that is exact. docs/develop/lab/virtual.md has the numbers of 4,096 ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/format/any_world.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/catch.hpp"

namespace io = argosy;

namespace {

constexpr std::int64_t side = 16;  // numbers along each dimension of a shard

struct outcome {
  io::zarr_plan plan;              // on rank 0
  std::vector<io::report> writes;  // one for each rank
  std::vector<std::int64_t> encoded;
  double seconds = 0;  // the virtual time of the write
  io::lab::virtual_report run;
};

// grid^3 ranks write an array of as many shards. The part of a rank is a plane that reaches through
// a row of shards, so each shard has numbers of several ranks.
outcome write_planes(int grid) {
  int const ranks = grid * grid * grid;
  std::int64_t const n = side * grid;
  outcome o;
  o.writes.resize(static_cast<std::size_t>(ranks));
  o.encoded.resize(o.writes.size());
  io::lab::virtual_files const files;
  o.run = io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 16, .seed = 1})
              .run([&](io::lab::virtual_rank const& world) {
                auto const me = static_cast<std::size_t>(world.rank());
                io::darray<float, 3> const part({n, n, n}, io::distribute::block,
                                                {grid * grid, grid, 1}, world.rank());
                std::vector<float> const u(static_cast<std::size_t>(side * side * side),
                                           static_cast<float>(me + 1));
                auto z = io::basic_zarr<io::lab::virtual_rank>::create(
                    world, "u", part, {.chunks = {side, side, side}}, {}, files.opener());
                io::zarr_plan const p = z.explain_all(io::access_kind::write, u);
                if (me == 0) o.plan = p;
                double const begin = world.now();
                o.writes[me] = z.write_all(u);
                o.seconds = std::max(o.seconds, world.now() - begin);
                o.encoded[me] = z.encoding().encoded.chunks;
                z.close();
              });
  return o;
}

// Checks what does not depend on time.
void check_as_planned(outcome const& o, int grid) {
  std::int64_t const shards = grid * grid * grid, bytes = shards * side * side * side * 4;
  io::zarr_plan const& p = o.plan;
  CHECK(p.shards == shards);
  CHECK(p.own_shards == grid);
  CHECK(p.cut_shards == grid);
  REQUIRE(p.file.together);
  std::int64_t next = 0, messages = 0, written = 0, read = 0, windows = 0;
  for (io::zarr_plan::owner const& one : p.owners) {
    CHECK(one.first_shard == next);
    next = one.last_shard + 1;
    auto const own = static_cast<std::size_t>(one.rank);
    CHECK(o.encoded[own] == one.last_shard - one.first_shard + 1);
  }
  CHECK(next == shards);
  for (io::extend::file_domain const& d : p.file.domains) windows += p.file.rounds_of(d);
  std::int64_t calls = 0;
  for (io::report const& r : o.writes) {
    messages += r.messages;
    written += r.bytes_written;
    read += r.bytes_read;
    calls += r.write_calls;
  }
  CHECK(written == bytes);  // each shard once, and nothing is read before
  CHECK(read == 0);
  CHECK(calls == windows);
  // The part of a rank lies in the window of one owner: a parcel and a message.
  CHECK(messages <= 2 * shards);
  CAPTURE(p.expected_ns, o.seconds);
  CHECK(p.expected_ns > o.seconds * 1e9 / 3);
  CHECK(p.expected_ns < o.seconds * 1e9 * 3);
}

// A rank and a shard.
using shard_of_rank = std::pair<int, std::int64_t>;

// Ranks write shards of a one-dimensional array, from element 6 on. Returns the shards that the
// plan names for each rank, and those whose files the rank opened for writing.
std::pair<std::set<shard_of_rank>, std::set<shard_of_rank>> planned_and_opened(
    int ranks, std::int64_t shards, io::hints const& with, io::extend::any_policy const& by) {
  constexpr std::int64_t elements = 4, first = 6;  // the first shard is not written, the second cut
  std::pair<std::set<shard_of_rank>, std::set<shard_of_rank>> found;
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2, .seed = 1})
      .run([&](io::lab::virtual_rank const& world) {
        int const me = world.rank();
        auto const notes = [&](std::string const& path, io::extend::open_flags flags,
                               std::error_code& error) {
          std::size_t const at = path.rfind("/c/");
          if (flags.write && at != std::string::npos)
            found.second.insert({me, std::stoll(path.substr(at + 3))});
          return files.opener()(path, flags, error);
        };
        std::int64_t const all = shards * elements, low = first + (all - first) * me / ranks,
                           high = first + (all - first) * (me + 1) / ranks;
        auto const part = io::subarray({all}, {high - low}, {low}, io::type<float>);
        std::vector<float> const u(static_cast<std::size_t>(high - low), 1);
        auto z = io::basic_zarr<io::lab::virtual_rank>::create(
            world, "u", part, {.chunks = {2}, .shards = {elements}}, with,
            files.opener().opening(notes));
        io::zarr_plan const p = z.explain_all(io::access_kind::write, u, by);
        REQUIRE(p.file.together);
        if (me == 0) {
          CAPTURE(to_string(p));
          std::int64_t next = 1;
          for (io::zarr_plan::owner const& one : p.owners) {
            CHECK(one.first_shard == next);  // in the order of the file, without gaps
            next = one.last_shard + 1;
            for (std::int64_t s = one.first_shard; s < next; ++s) found.first.insert({one.rank, s});
          }
          CHECK(next == shards);
        }
        z.write_all(u, by);
        z.close();
      });
  return found;
}

}  // namespace

TEST_CASE("the ranks that write shards are those that the plan names", "[format][zarr][scale]") {
  constexpr std::int64_t shard_bytes = 16;
  for (int const ranks : {1, 2, 5})
    for (std::int64_t const shards : {2, 23, 100})
      for (std::int64_t const stripe : {std::int64_t{0}, std::int64_t{1}, 3 * shard_bytes})
        for (int const way : {0, 1, 2}) {
          CAPTURE(ranks, shards, stripe, way);
          io::data_shipping const shipped{.stripe_bytes = stripe, .window_bytes = 3 * shard_bytes};
          io::hints with;
          if (way == 1) with.policy = "data_shipping";
          if (way == 1) with.io_buffer_bytes = stripe;
          auto const [planned, opened] =
              planned_and_opened(ranks, shards, with,
                                 way == 0   ? io::extend::any_policy(shipped)
                                 : way == 1 ? io::extend::any_policy()
                                            : io::extend::any_policy(io::two_phase{}));
          CHECK(std::ssize(planned) == shards - 1);
          CHECK((planned == opened));
        }
}

TEST_CASE("ranks that write shards are no crowd, because each shard is a file",
          "[format][zarr][scale]") {
  auto const plan = [](double crowd_call_ns) {
    io::zarr_plan found;
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 4, .seed = 1})
        .run([&](io::lab::virtual_rank const& world) {
          io::darray<float, 1> const part({1200}, io::distribute::cyclic(3), {4}, world.rank());
          io::hints with{.cb_write = io::tristate::automatic};
          with.price_crowd_call_ns = crowd_call_ns;
          auto z = io::basic_zarr<io::lab::virtual_rank>::create(
              world, "u", part, {.chunks = {2}, .shards = {4}}, with, files.opener());
          std::vector<float> const u(300);
          io::zarr_plan p = z.explain_all(io::access_kind::write, u);
          if (world.rank() == 0) found = std::move(p);
          z.close();
        });
    return found;
  };
  io::zarr_plan const cheap = plan(0), dear = plan(1e6);
  CAPTURE(to_string(cheap), to_string(dear), to_string(cheap.file), to_string(dear.file));
  CHECK(cheap.file.weighed);
  CHECK(cheap == dear);
}

TEST_CASE("64 ranks write 64 shards as the plan says", "[format][zarr][scale]") {
  check_as_planned(write_planes(4), 4);
}

TEST_CASE("4,096 ranks write 4,096 shards as the plan says", "[.large]") {
  outcome const o = write_planes(16);
  check_as_planned(o, 16);
  std::int64_t messages = 0, most = 0;
  for (io::report const& r : o.writes) {
    messages += r.messages;
    most = std::max(most, r.messages);
  }
  std::cout << o.plan.owners.size() << " owners with " << o.plan.memory_bytes
            << " bytes of memory each, " << messages << " messages, at most " << most
            << " of a rank, " << o.run.message_bytes << " bytes in messages, "
            << o.plan.expected_ns * 1e-6 << " virtual ms expected, " << o.seconds * 1e3
            << " virtual ms of the write, " << o.run.seconds * 1e3 << " of the run, "
            << o.run.file_calls << " calls of files\n";
}
