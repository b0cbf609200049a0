// The prices of partitioning, synchronous writes and random writes: a small experiment and its
// number for each.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include "lab/gpfs/gpfs_mechanisms_cases.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
using namespace io::test;
using io::lab::contents;

namespace {

constexpr std::int64_t block = 512 * KiB;

void start(io::lab::virtual_gpfs_handle& f, int instances) {
  auto all = ship_start(instances);
  REQUIRE_FALSE(f.fcntl(all));
}
void stop(io::lab::virtual_gpfs_handle& f) {
  ship_stop all;
  REQUIRE_FALSE(f.fcntl(all));
}

}  // namespace

TEST_CASE("the token manager serves the starts and stops of partitioning one after the other",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  auto const seconds = [&](int ranks, double ship_task_us) {
    m.ship_task_us = ship_task_us;
    io::lab::virtual_gpfs const files(m, ranks, {}, contents::none);
    return seconds_of(files, ranks, [&](io::lab::virtual_rank const&) {
      auto f = opened(files);
      start(f, ranks);
      stop(f);
      REQUIRE_FALSE(f.close());
    });
  };
  CHECK(seconds(8, 0) < 0.05);
  CHECK(seconds(8, 70'000) == Approx(16 * 0.07).epsilon(0.05));
  CHECK(seconds(32, 70'000) == Approx(64 * 0.07).epsilon(0.05));
}

TEST_CASE("a partitioned file moves whole blocks, so that one written in part is read first",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.sub_blocks = 32;
  constexpr std::int64_t blocks = 16;
  struct measured {
    double seconds;
    std::int64_t merge_reads;
  };
  // Writes one sub-block of each block of a file that is there already.
  auto const run = [&](bool partitioned) {
    io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(block));
    seconds_of(files, 1, [&](io::lab::virtual_rank const&) {
      auto f = opened(files);
      for (std::int64_t k = 0; k < blocks; ++k)
        REQUIRE_FALSE(f.write(k * block, data.bytes()).error);
      REQUIRE_FALSE(f.sync());
      auto all = free_range(0, 0);
      REQUIRE_FALSE(f.fcntl(all));
    });
    double const seconds = seconds_of(files, 1, [&](io::lab::virtual_rank const&) {
      auto f = opened(files);
      if (partitioned) start(f, 1);
      for (std::int64_t k = 0; k < blocks; ++k)
        REQUIRE_FALSE(
            f.write(k * block, data.bytes().first(static_cast<std::size_t>(block / 32))).error);
      if (partitioned) stop(f);
      REQUIRE_FALSE(f.sync());
    });
    return measured{seconds, files.counters().merge_reads};
  };
  measured const tokens = run(false), parts = run(true);
  CAPTURE(tokens.seconds, parts.seconds);
  CHECK(tokens.merge_reads == 0);
  CHECK(parts.merge_reads == blocks);
  CHECK(parts.seconds > 1.5 * tokens.seconds);
}

TEST_CASE("a file written synchronously has nothing dirty when a write ends",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  constexpr std::int64_t windows = 8, each = 8 * block;
  constexpr double exchange = 0.01;
  auto const seconds = [&](bool waits, bool partitioned) {
    io::lab::virtual_gpfs files(m, 1, {}, contents::none);
    files.write_synchronously([&](std::string const& path) { return waits && path == "f"; });
    io::lab::hollow_memory const data(static_cast<std::size_t>(each));
    return seconds_of(files, 1, [&](io::lab::virtual_rank const& world) {
      auto f = opened(files);
      if (partitioned) start(f, 1);
      for (std::int64_t k = 0; k < windows; ++k) {
        REQUIRE_FALSE(f.write(k * each, data.bytes()).error);
        if (waits) CHECK(files.system().client(0).dirty_blocks() == 0);
        world.compute(exchange);  // the next window is being exchanged meanwhile
      }
      REQUIRE_FALSE(f.sync());
      if (partitioned) stop(f);
    });
  };
  double const moves = windows * static_cast<double>(each) / 1e6 / m.client_write_mb_per_s;
  for (bool const partitioned : {false, true}) {
    CAPTURE(partitioned);
    CHECK(seconds(false, partitioned) < 1.15 * moves);  // hidden behind the exchange
    CHECK(seconds(true, partitioned) > moves + 0.9 * windows * exchange);
  }
}

TEST_CASE("a write in no order waits for the disk, if no range hint named its block",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  constexpr std::int64_t places[] = {40, 7, 23, 61, 2, 55, 18, 33};
  auto const dirty_after = [&](std::int64_t waits, bool hinted) {
    m.random_writes_wait = waits;
    io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(64 * KiB));
    std::int64_t dirty = 0;
    seconds_of(files, 1, [&](io::lab::virtual_rank const&) {
      auto f = opened(files);
      if (hinted) {
        ranges_hint all;
        for (std::int64_t const p : places)
          all.a.accRangeArray[all.a.accRangeCnt++] = {p, 0, 65536, 1};
        REQUIRE_FALSE(f.fcntl(all));
        REQUIRE(all.a.accRangeCnt == 8);
      }
      for (std::int64_t const p : places) REQUIRE_FALSE(f.write(p * block, data.bytes()).error);
      dirty = files.system().client(0).dirty_blocks();
    });
    return dirty;
  };
  CHECK(dirty_after(0, false) == 8);
  CHECK(dirty_after(1, false) == 2);  // the first two calls, which have no order yet
  CHECK(dirty_after(1, true) == 8);
}

TEST_CASE("fewer ranges of a hint are accepted while servers have queues", "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.servers = m.disks_per_server = 1;
  m.range_quota_blocks = 8;
  constexpr std::int64_t blocks = 64;
  // Each rank reads some blocks in no order, and then asks for eight ranges. Returns the number
  // that rank 0 gets.
  auto const accepted = [&](std::int64_t by_load, int ranks) {
    m.range_quota_by_load = by_load;
    io::lab::virtual_gpfs const files(m, ranks, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(block));
    int got = 0;
    seconds_of(files, ranks, [&](io::lab::virtual_rank const& world) {
      auto f = opened(files);
      if (world.rank() == 0) {
        for (std::int64_t k = 0; k < blocks; ++k)
          REQUIRE_FALSE(f.write(k * block, data.bytes()).error);
        REQUIRE_FALSE(f.sync());
        auto all = free_range(0, 0);
        REQUIRE_FALSE(f.fcntl(all));
      }
      world.barrier();
      for (std::int64_t const k : {5, 2, 7, 1})
        REQUIRE_FALSE(f.read(8 * k * block + world.rank() % 8 * block, {data.bytes()}).error);
      ranges_hint wanted;
      for (std::int64_t k = 0; k < 8; ++k)
        wanted.a.accRangeArray[wanted.a.accRangeCnt++] = {8 * k + 7 - world.rank() % 8, 0,
                                                          static_cast<int>(block), 0};
      REQUIRE_FALSE(f.fcntl(wanted));
      if (world.rank() == 0) got = wanted.a.accRangeCnt;
    });
    return got;
  };
  CHECK(accepted(0, 8) == 8);
  CHECK(accepted(1, 1) >= 6);
  CHECK(accepted(1, 8) >= 1);
  CHECK(accepted(1, 8) <= 3);
}
