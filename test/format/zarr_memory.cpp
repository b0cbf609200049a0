// The ranks that own shards of a Zarr array need at most the memory that the plan says.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/policy.hpp>

#include "support/allocations.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("who owns shards needs at most the memory that was predicted", "[format][zarr][memory]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  constexpr std::int64_t n = 2048, wide = 512;
  io::subarray const columns({n, wide * world.size()}, {n, wide}, {0, wide * world.rank()},
                             io::type<std::uint64_t>);
  std::vector<std::uint64_t> values(n * wide);
  std::ranges::generate(values, std::mt19937_64(1));  // random, so no smaller when compressed
  for (bool const compressed : {false, true}) {
    io::zarr_options how{.chunks = {256, 256}, .shards = {512, 1024}};
    if (compressed) how.codecs = {io::zarr_codec::bytes(), io::zarr_codec::zstd(1)};
    auto z = io::zarr::create(world, here / (compressed ? "z" : "u"), columns, how);
    io::zarr_plan const p = z.explain_all(io::access_kind::write, values, io::two_phase{});
    io::heap_peak const most;
    z.write_all(values, io::two_phase{});
    CAPTURE(world.rank(), compressed, p.memory_bytes, most.bytes());
    CHECK(most.bytes() <= static_cast<std::size_t>(p.memory_bytes));
    CHECK(most.bytes() >= static_cast<std::size_t>(p.memory_bytes) / 4);
    z.close();
  }
}
