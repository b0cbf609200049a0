// The resources that streams of a node share: the part of its page pool for blocks read ahead, and
// the threads that read them.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using io::lab::contents;

namespace {

constexpr std::int64_t KiB = 1024, MiB = 1024 * KiB;

struct outcome {
  // the rate of all tasks, and the times when the first and the last one ended
  double mb_per_s = 0, first_s = 0, last_s = 0;
  std::int64_t block_reads = 0, waste = 0;  // waste: blocks that were read again
};

// Tasks of one node read what another node has written. Each reads its own file, in calls of
// `blocks_of_call` blocks.
outcome read_by(int tasks, std::int64_t blocks_of_call) {
  gpfs::machine m;
  m.block_bytes = MiB;
  m.copy_mb_per_s = 0;
  m.client_read_mb_per_s = 160;  // the only limit
  m.pagepool_bytes = 100 * MiB;
  m.nic_mb_per_s = m.server_mb_per_s = m.disk_mb_per_s = 0;
  m.disk_us = 10'000;
  m.disks_per_server = 12;
  constexpr std::int64_t each = 64;  // blocks
  io::lab::virtual_gpfs const files(m, 2, {}, contents::none);
  io::lab::hollow_memory const memory(static_cast<std::size_t>(blocks_of_call * MiB));
  std::vector<double> ends;
  io::lab::virtual_cluster({.ranks = 2 * tasks, .ranks_per_node = tasks},
                           {.contents = contents::none})
      .run([&](io::lab::virtual_rank const& world) {
        std::error_code error;
        auto f = files.open(std::to_string(world.rank() % tasks),
                            {.read = true, .write = true, .create = true}, error);
        REQUIRE_FALSE(error);
        if (world.rank() >= tasks) {
          for (std::int64_t k = 0; k < each; k += blocks_of_call)
            REQUIRE_FALSE(f.write(k * MiB, memory.bytes()).error);
          REQUIRE_FALSE(f.sync());
        }
        world.barrier();
        double const began = world.now();
        if (world.rank() >= tasks) return;
        for (std::int64_t k = 0; k < each; k += blocks_of_call)
          REQUIRE_FALSE(f.read(k * MiB, memory.bytes()).error);
        ends.push_back(world.now() - began);
      });
  auto const [first, last] = std::minmax_element(ends.begin(), ends.end());
  std::int64_t const reads = files.counters(0).block_reads;
  return {static_cast<double>(tasks * each * MiB) / 1e6 / *last, *first, *last, reads,
          reads - tasks * each};
}

// A node with room for 40 blocks, ten of them for reading ahead, and a file that another node has
// written.
struct small_pool {
  static gpfs::machine settings() {
    gpfs::machine m;
    m.block_bytes = 4 * KiB;
    m.pagepool_bytes = 40 * m.block_bytes;
    return m;
  }
  explicit small_pool(gpfs::machine const& m = settings())
      : host(m, 2), block(static_cast<std::size_t>(m.block_bytes)) {
    auto f = open(1);
    for (std::int64_t k = 0; k < 1000; ++k) REQUIRE_FALSE(f.write(k * m.block_bytes, block).error);
    REQUIRE_FALSE(f.close());
  }
  gpfs::loopback_file open(gpfs::detail::node_id node) {
    std::error_code error;
    auto f = gpfs::loopback_file::open(host, node, "f",
                                       {.read = true, .write = true, .create = true}, error);
    REQUIRE_FALSE(error);
    return f;
  }
  void read(gpfs::loopback_file& f, std::int64_t k) {
    REQUIRE_FALSE(f.read(k * static_cast<std::int64_t>(block.size()), block).error);
  }
  std::int64_t prefetches() { return host.client(0).counters().prefetches; }

  gpfs::loopback host;
  std::vector<std::byte> block;
};

}  // namespace

TEST_CASE("blocks that a call reads ahead do not drop each other", "[gpfs][mechanisms]") {
  gpfs::machine m = small_pool::settings();
  m.servers = m.disks_per_server = 1;
  m.server_buffer_bytes = m.block_bytes;  // the server refuses a second request at a time
  m.pagepool_bytes = 4 * m.block_bytes;
  m.prefetch_percent = 100;
  small_pool pool(m);
  auto f = pool.open(0);
  std::vector<std::byte> few(16), many(6 * pool.block.size());
  // two of the four buffers are dirty, and have to wait for the server, too
  for (std::int64_t const block : {1, 3}) REQUIRE_FALSE(f.write(block * m.block_bytes, few).error);
  std::int64_t const before = pool.host.client(0).counters().block_reads;
  REQUIRE_FALSE(f.read(4 * m.block_bytes, many).error);
  CHECK(pool.host.client(0).counters().block_reads - before == 6);
  REQUIRE_FALSE(f.close());
}

TEST_CASE("eight streams of a node are read as fast as one, and no block twice",
          "[gpfs][mechanisms]") {
  for (std::int64_t const blocks_of_call : {1, 16}) {
    outcome const one = read_by(1, blocks_of_call), eight = read_by(8, blocks_of_call);
    CAPTURE(blocks_of_call, one.mb_per_s, eight.mb_per_s, eight.first_s, eight.last_s,
            eight.block_reads);
    CHECK(one.waste == 0);
    CHECK(eight.waste == 0);
    CHECK(one.mb_per_s > 140);
    CHECK(eight.mb_per_s > 150);
    CHECK(eight.mb_per_s < 161);
    CHECK(eight.first_s > 0.5 * eight.last_s);  // no stream gets all the room for itself
  }
}

TEST_CASE("what is read ahead for all streams of a node is a part of its pool",
          "[gpfs][mechanisms]") {
  small_pool c;
  std::vector<gpfs::loopback_file> streams;
  for (int k = 0; k < 5; ++k) {
    streams.push_back(c.open(0));
    for (int block : {0, 1}) c.read(streams.back(), 100 * k + block);
  }
  CHECK(c.prefetches() == 10);  // the first stream has used all room
  SECTION("until a stream ends") {
    REQUIRE_FALSE(streams.front().close());
    c.read(streams[3], 302);
    CHECK(c.prefetches() == 20);
  }
  SECTION("until it goes on elsewhere") {
    c.read(streams[0], 777);
    c.read(streams[3], 302);
    CHECK(c.prefetches() == 20);
  }
  SECTION("until it has used it") {
    for (int block = 2; block < 12; ++block) c.read(streams[0], block);
    std::int64_t const before = c.prefetches();
    c.read(streams[3], 302);
    CHECK(c.prefetches() == before);  // the first stream has read ahead as many again
    for (int block = 12; block < 20; ++block) {
      c.read(streams[0], block);
      c.read(streams[3], 291 + block);
    }
    CHECK(c.prefetches() - before >= 10);  // both streams go on
  }
}

TEST_CASE("a node reads ahead with so many threads", "[gpfs][mechanisms]") {
  gpfs::machine m = small_pool::settings();
  m.prefetch_threads = 3;
  small_pool c(m);
  auto f = c.open(0);
  for (int block : {0, 1}) c.read(f, block);
  CHECK(c.prefetches() == 3);
}
