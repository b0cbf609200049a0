// The effect of each mechanism of nodes, tokens and the network on time: a small experiment and its
// number for each.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include "lab/gpfs/gpfs_mechanisms_cases.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;
using io::lab::contents;

TEST_CASE("blocks and messages share a node's adapter", "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.nic_mb_per_s = 50;
  m.server_mb_per_s = m.disk_mb_per_s = m.client_write_mb_per_s = 1000;
  io::lab::scenario s{.ranks = 2, .ranks_per_node = 1};
  s.network.adapter_mb_per_s = 50;
  io::lab::hollow_memory const data(static_cast<std::size_t>(16 * MiB));
  // Rank 0 writes to the file and sends a message of the same size, at the same time.
  auto const seconds = [&](std::int64_t shared) {
    m.shared_adapters = shared;
    io::lab::virtual_gpfs const files(m, 2, {}, contents::none);
    return io::lab::virtual_cluster(s, {.contents = contents::none})
        .run([&](io::lab::virtual_rank const& world) {
          if (world.rank() == 1) {
            world.receive(data.bytes(), 0, 1);
            return;
          }
          auto f = opened(files);
          io::lab::virtual_rank::request sent = world.start_send(data.bytes(), 1, 1);
          for (std::int64_t k = 0; k < 16; ++k)
            REQUIRE_FALSE(
                f.write(k * MiB, data.bytes().first(static_cast<std::size_t>(MiB))).error);
          REQUIRE_FALSE(f.sync());
          world.wait_all({&sent, 1});
        })
        .seconds;
  };
  double const each = 16 * 1.048576 / 50;
  CHECK(seconds(0) < 1.3 * each);
  CHECK(seconds(1) > 1.9 * each);
}

TEST_CASE("all nodes share the middle of the network, where it has a limit", "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.copy_mb_per_s = m.client_write_mb_per_s = m.nic_mb_per_s = m.server_mb_per_s = m.disk_mb_per_s =
      0;
  m.disk_us = 0;
  m.bisection_mb_per_s = 100;
  io::lab::virtual_gpfs const files(m, 4, {}, contents::none);
  io::lab::hollow_memory const data(static_cast<std::size_t>(16 * MiB));
  double const seconds = seconds_of(files, 4, [&](io::lab::virtual_rank const& world) {
    auto f = opened(files);
    REQUIRE_FALSE(f.write(16 * MiB * world.rank(), data.bytes()).error);
    REQUIRE_FALSE(f.sync());
  });
  double const least = 64 * 1.048576 / 100;
  CHECK(seconds > least);
  CHECK(seconds < 1.1 * least);
}

TEST_CASE("servers that are client nodes need no adapter for their own blocks",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.nic_mb_per_s = 20;
  auto const seconds = [&](std::int64_t servers, std::int64_t on_clients) {
    m.servers = servers;
    m.servers_on_clients = on_clients;
    io::lab::virtual_gpfs const files(m, 2, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(MiB));
    return seconds_of(files, 2, [&](io::lab::virtual_rank const& world) {
      if (world.rank() != 0) return;
      auto f = opened(files);
      for (std::int64_t k = 0; k < 32; ++k) REQUIRE_FALSE(f.write(k * MiB, data.bytes()).error);
      REQUIRE_FALSE(f.sync());
    });
  };
  double const apart = seconds(2, 0);
  CHECK(seconds(2, 1) < 0.6 * apart);  // every second block stays on its node
  CHECK(seconds(1, 1) < 0.3 * apart);
}

TEST_CASE("opening one file by many nodes is the work of the node that keeps its inode",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.create_us = 20'000;
  m.open_us = 8000;
  m.close_us = 1000;
  io::lab::virtual_gpfs const files(m, 128, {}, contents::none);
  double const all = seconds_of(files, 128, [&](io::lab::virtual_rank const&) {
    auto f = opened(files);
    REQUIRE_FALSE(f.close());
  });
  CHECK(all > 1.0);
  CHECK(all < 1.3);
}

TEST_CASE("each write token that changes hands brings the inode up to date", "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  auto const mb_per_s = [&](double tenure_us) {
    m.tenure_us = tenure_us;
    constexpr int ranks = 24, times = 16;
    io::lab::virtual_gpfs const files(m, ranks, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(m.block_bytes));
    double const all = seconds_of(files, ranks, [&](io::lab::virtual_rank const& world) {
      auto f = opened(files);
      for (std::int64_t k = 0; k < times; ++k)
        REQUIRE_FALSE(f.write((k * ranks + world.rank()) * m.block_bytes, data.bytes()).error);
      REQUIRE_FALSE(f.sync());
    });
    return ranks * times * static_cast<double>(m.block_bytes) / 1e6 / all;
  };
  double const without = mb_per_s(0), with = mb_per_s(4000);
  CAPTURE(without, with);
  CHECK(without > 400);
  CHECK(with > 0.8 * 116);  // published for such writers: 116 and 190 MB/s
  CHECK(with < 1.2 * 190);
}

TEST_CASE("strided writers whose tokens are for their strides alone take none from each other",
          "[gpfs][mechanisms]") {
  constexpr int ranks = 8, times = 34;
  auto const counted = [&](std::int64_t stride_tokens) {
    gpfs::machine m = testbed();
    m.stride_tokens = stride_tokens;
    io::lab::virtual_gpfs const files(m, ranks, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(m.block_bytes));
    seconds_of(files, ranks, [&](io::lab::virtual_rank const& world) {
      auto f = opened(files);
      for (std::int64_t k = 0; k < times; ++k)
        REQUIRE_FALSE(f.write((k * ranks + world.rank()) * m.block_bytes, data.bytes()).error);
    });
    return files.counters();
  };
  gpfs::client_counters const between = counted(0), alone = counted(1);
  CHECK(between.revokes_sent > 100);
  CHECK(alone.revokes_sent == 0);
  // Two calls, until the stride is recognised, then one request for this call and the 16 that
  // follow.
  CHECK(alone.token_requests == ranks * 4);
}

TEST_CASE("close waits for the disk where the machine says so", "[gpfs][mechanisms]") {
  for (std::int64_t const flushes : {0, 1}) {
    gpfs::machine m = testbed();
    m.close_flushes = flushes;
    gpfs::loopback host(m, 1);
    std::error_code error;
    auto f = gpfs::loopback_file::open(host, 0, "f", {.read = true, .write = true, .create = true},
                                       error);
    std::vector<std::byte> const some(1000);
    REQUIRE_FALSE(f.write(5, some).error);
    REQUIRE_FALSE(f.close());
    CHECK(host.client(0).dirty_blocks() == 1 - flushes);
    CHECK(host.client(0).cached_blocks() == 1);
  }
}

TEST_CASE("a rank's processor packs and unpacks what it sends and receives",
          "[virtual][mechanisms]") {
  auto const seconds = [](std::int64_t rate) {
    io::lab::scenario s{.ranks = 2, .ranks_per_node = 1};
    s.network.rank_mb_per_s = rate;
    io::lab::hollow_memory const data(static_cast<std::size_t>(MiB));
    return io::lab::virtual_cluster(s, {.contents = contents::none})
        .run([&](io::lab::virtual_rank const& world) {
          if (world.rank() == 0)
            world.send(data.bytes(), 1, 1);
          else
            world.receive(data.bytes(), 0, 1);
        })
        .seconds;
  };
  double const more = seconds(100) - seconds(0);
  CHECK(more > 0.0209);  // a megabyte at 100 MB/s, on both sides
  CHECK(more < 0.0211);
}

TEST_CASE("a rank's processor takes its time for each piece that it copies, and no more",
          "[virtual][mechanisms]") {
  io::lab::scenario s{.ranks = 1};
  s.network.piece_ns = 50;
  double const seconds = io::lab::virtual_cluster(s)
                             .run([](io::lab::virtual_rank const& world) { world.charge(0, 1000); })
                             .seconds;
  CHECK(seconds == Approx(50e-6).margin(1e-10));
}

TEST_CASE("adapters that are noisy differ from seed to seed, and no more than they may",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.nic_mb_per_s = 20;
  auto const seconds = [&](double noise, std::int64_t seed) {
    m.noise = noise;
    m.noise_seed = seed;
    io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(MiB));
    return seconds_of(files, 1, [&](io::lab::virtual_rank const&) {
      auto f = opened(files);
      for (std::int64_t k = 0; k < 32; ++k) REQUIRE_FALSE(f.write(k * MiB, data.bytes()).error);
      REQUIRE_FALSE(f.sync());
    });
  };
  double const quiet = seconds(0, 1), one = seconds(0.5, 1), two = seconds(0.5, 2);
  CHECK(seconds(0.5, 1) == one);
  CHECK(one != two);
  for (double const noisy : {one, two}) {
    CHECK(noisy > 0.9 * quiet);  // 64 blocks, each takes half to one and a half of its time
    CHECK(noisy < 1.1 * quiet);
  }
}

TEST_CASE("a write call has a price of its own", "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  auto const seconds = [&](double more) {
    m.write_call_us = more;
    io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
    std::vector<std::byte> const data(800);
    return seconds_of(files, 1, [&](io::lab::virtual_rank const&) {
      auto f = opened(files);
      for (std::int64_t k = 0; k < 500; ++k) REQUIRE_FALSE(f.write(k * 800, data).error);
    });
  };
  double const added = seconds(50) - seconds(0);
  CHECK(added > 0.0249);
  CHECK(added < 0.0251);
}

TEST_CASE("blocks that a node owns pass its software as others do", "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.client_read_mb_per_s = 50;  // the only limit
  m.copy_mb_per_s = m.nic_mb_per_s = m.server_mb_per_s = m.disk_mb_per_s = 0;
  m.disk_us = 0;
  constexpr std::int64_t times = 200;  // MiB, twice the size of the pool
  for (bool const partitioned : {false, true}) {
    io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(8 * MiB));
    double seconds = 0;
    seconds_of(files, 1, [&](io::lab::virtual_rank const& world) {
      auto f = opened(files);
      if (auto start = io::test::ship_start(1); partitioned) REQUIRE_FALSE(f.fcntl(start));
      for (std::int64_t k = 0; k < times; k += 8)
        REQUIRE_FALSE(f.write(k * MiB, data.bytes()).error);
      REQUIRE_FALSE(f.sync());
      double const began = world.now();
      for (std::int64_t k = 0; k < times; k += 8)
        REQUIRE_FALSE(f.read(k * MiB, data.bytes()).error);
      seconds = world.now() - began;
    });
    double const mb_per_s = static_cast<double>(times * MiB) / 1e6 / seconds;
    CAPTURE(partitioned, mb_per_s);
    CHECK(mb_per_s > 40);
    CHECK(mb_per_s < 50.1);
  }
}
