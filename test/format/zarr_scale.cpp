// A collective write of a Zarr array by many virtual ranks: what explain_all() predicts of it, as
// far as that is exact. docs/develop/lab/virtual.md has the numbers of 4,096 ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <argosy/format/any_world.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

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

}  // namespace

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
