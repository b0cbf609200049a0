// The effect of each mechanism of servers and their disks on time: a small experiment and its
// number for each.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
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

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;
using io::lab::contents;

namespace {

// Two nodes write 512-byte records of one block in turn. Returns the milliseconds for each.
double hand_over_ms(gpfs::machine const& m) {
  io::lab::virtual_gpfs const files(m, 2, {}, contents::none);
  std::vector<std::byte> const record(512);
  constexpr int times = 200;
  double const all = seconds_of(files, 2, [&](io::lab::virtual_rank const& world) {
    auto f = opened(files);
    for (int k = 0; k < times; ++k) {
      if (k % 2 == world.rank()) REQUIRE_FALSE(f.write(k * 512, record).error);
      world.barrier();
    }
  });
  return all * 1000 / times;
}

}  // namespace

TEST_CASE(
    "a block that nobody has written is not read before a part of it is: a rewrite takes twice as "
    "long",
    "[gpfs][mechanisms]") {
  gpfs::machine const m = testbed();
  constexpr int nodes = 16, per_node = 4;
  constexpr std::int64_t each = 32 * KiB, times = 320;
  io::lab::virtual_gpfs const files(m, nodes, {}, contents::none);
  io::lab::hollow_memory const data(static_cast<std::size_t>(each));
  double mb_per_s[2] = {};
  io::lab::virtual_cluster({.ranks = nodes * per_node, .ranks_per_node = per_node},
                           {.contents = contents::none})
      .run([&](io::lab::virtual_rank const& world) {
        for (double& rate : mb_per_s) {
          world.barrier();
          double const began = world.now();
          auto f = opened(files);
          for (std::int64_t k = 0; k < times; ++k)
            REQUIRE_FALSE(f.write((world.rank() * times + k) * each, data.bytes()).error);
          REQUIRE_FALSE(f.sync());
          REQUIRE_FALSE(f.close());
          world.barrier();
          rate = static_cast<double>(nodes * per_node * times * each) / 1e6 / (world.now() - began);
        }
      });
  CAPTURE(mb_per_s[0], mb_per_s[1]);
  CHECK(mb_per_s[0] > 450);
  CHECK(mb_per_s[0] < 580);
  CHECK(mb_per_s[1] > 0.4 * mb_per_s[0]);
  CHECK(mb_per_s[1] < 0.6 * mb_per_s[0]);
}

TEST_CASE("only the parts of a block that are needed go to disk and come from there",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.sub_blocks = 32;
  gpfs::loopback host(m, 2);
  std::error_code error;
  auto a =
      gpfs::loopback_file::open(host, 0, "f", {.read = true, .write = true, .create = true}, error);
  auto b = gpfs::loopback_file::open(host, 1, "f", {.read = true, .write = true}, error);
  std::vector<std::byte> const whole(static_cast<std::size_t>(m.block_bytes), std::byte{1}),
      few(1000, std::byte{2});
  REQUIRE_FALSE(a.write(0, whole).error);
  REQUIRE_FALSE(a.sync());
  auto const& server = host.server(0).counters();
  std::int64_t const written = server.bytes_written;
  REQUIRE_FALSE(b.write(40'000, few).error);  // only in the third part of 16 KiB
  CHECK(server.bytes_read == 16 * KiB);
  CHECK(server.bytes_written == written);
  std::vector<std::byte> seen(whole.size()), expected(whole);
  std::copy(few.begin(), few.end(), expected.begin() + 40'000);
  REQUIRE_FALSE(b.read(0, seen).error);
  CHECK(seen == expected);
  REQUIRE_FALSE(a.read(0, seen).error);
  CHECK(seen == expected);
}

TEST_CASE("a block that goes to and fro between two writers costs less than 3 ms each time",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  double const usual = hand_over_ms(m);
  m.sub_blocks = 32;
  double const by_parts = hand_over_ms(m);
  m.server_cache_bytes = 128 * MiB;
  m.server_dirty_bytes = 32 * MiB;
  double const cached = hand_over_ms(m);
  CAPTURE(usual, by_parts, cached);
  CHECK(usual > 20);
  CHECK(by_parts < usual);
  CHECK(cached < 3);
}

TEST_CASE("what the servers' memory holds is read without a disk", "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.server_cache_bytes = 64 * MiB;
  m.disk_mb_per_s = 20;
  // A node without cached pages reads a file that another node has written.
  auto const read_mb_per_s = [&](std::int64_t bytes) {
    io::lab::virtual_gpfs const files(m, 2, {}, contents::none);
    io::lab::hollow_memory const memory(static_cast<std::size_t>(MiB));
    double seconds = 0;
    seconds_of(files, 2, [&](io::lab::virtual_rank const& world) {
      auto f = opened(files);
      if (world.rank() == 0) {
        for (std::int64_t at = 0; at < bytes; at += MiB)
          REQUIRE_FALSE(f.write(at, memory.bytes()).error);
        REQUIRE_FALSE(f.sync());
      }
      world.barrier();
      double const began = world.now();
      if (world.rank() == 1)
        for (std::int64_t at = 0; at < bytes; at += MiB)
          REQUIRE_FALSE(f.read(at, memory.bytes()).error);
      if (world.rank() == 1) seconds = world.now() - began;
    });
    return static_cast<double>(bytes) / 1e6 / seconds;
  };
  CHECK(read_mb_per_s(8 * MiB) > 5 * read_mb_per_s(512 * MiB));
}

TEST_CASE("servers answer writes from memory until it is full, then as fast as their disks",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.disk_mb_per_s = 10;
  auto const seconds = [&](std::int64_t memory) {
    m.server_dirty_bytes = memory;
    io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(MiB));
    return seconds_of(files, 1, [&](io::lab::virtual_rank const&) {
      auto f = opened(files);
      for (std::int64_t k = 0; k < 64; ++k) REQUIRE_FALSE(f.write(k * MiB, data.bytes()).error);
      REQUIRE_FALSE(f.sync());
    });
  };
  double const disks = seconds(0), half = seconds(16 * MiB), all = seconds(64 * MiB);
  CHECK(disks > 3);  // 64 MiB by two servers of 10 MB/s
  CHECK(half < 0.6 * disks);
  CHECK(half > 0.4 * disks);
  CHECK(all < 0.2 * disks);
}

TEST_CASE("a disk need not position for the block behind the last one", "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.servers = m.disks_per_server = 1;
  auto const seconds = [&](std::int64_t streams) {
    m.disk_streams = streams;
    io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(MiB));
    return seconds_of(files, 1, [&](io::lab::virtual_rank const&) {
      auto f = opened(files);
      for (std::int64_t k = 0; k < 50; ++k) REQUIRE_FALSE(f.write(k * MiB, data.bytes()).error);
      REQUIRE_FALSE(f.sync());
    });
  };
  double const positions = 100 * m.disk_us * 1e-6;
  CHECK(seconds(0) > positions);
  CHECK(seconds(1) < 0.6 * positions);
}

TEST_CASE("requests that find no buffer at a server are lost, and cost a timeout",
          "[gpfs][mechanisms]") {
  struct outcome {
    double mb_per_s;
    std::int64_t resends;
  };
  // Each node has up to 4 MiB on its way, and the server has room for 32 MiB.
  auto const written = [](int nodes, std::int64_t buffers) -> outcome {
    gpfs::machine m = testbed();
    m.servers = 1;
    m.server_mb_per_s = 100;
    m.disk_us = 0;
    m.disk_mb_per_s = 0;
    m.write_behind_max_blocks = 8;
    m.server_buffer_bytes = buffers;
    m.retry_ms = 1000;
    io::lab::virtual_gpfs const files(m, nodes, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(m.block_bytes));
    constexpr std::int64_t times = 64;
    double const all = seconds_of(files, nodes, [&](io::lab::virtual_rank const& world) {
      auto f = opened(files);
      for (std::int64_t k = 0; k < times; ++k)
        REQUIRE_FALSE(f.write((world.rank() * times + k) * m.block_bytes, data.bytes()).error);
      REQUIRE_FALSE(f.sync());
    });
    return {static_cast<double>(nodes * times * m.block_bytes) / 1e6 / all,
            files.counters().resends};
  };
  outcome const few = written(8, 32 * MiB), many = written(24, 32 * MiB), without = written(24, 0);
  CAPTURE(few.mb_per_s, many.mb_per_s, without.mb_per_s, many.resends);
  CHECK(few.resends == 0);
  CHECK(few.mb_per_s > 97);
  CHECK(without.resends == 0);
  CHECK(without.mb_per_s > 97);
  CHECK(many.resends > 100);
  CHECK(many.mb_per_s < 0.9 * without.mb_per_s);
}
