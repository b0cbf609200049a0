// The page pool, streams, names and costs of one client node.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include <argosy/handle/posix.hpp>
#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

#include "lab/gpfs/gpfs_client_cases.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;

TEST_CASE("levels of writing: new block, whole block, part of a block, cached block",
          "[gpfs][pool]") {
  cluster c(1);
  REQUIRE(!c.write(0, 0, 10));
  CHECK(c.count(0).new_blocks == 1);
  CHECK(c.count(0).block_reads == 0);
  REQUIRE(!c.write(0, 20, 10));
  CHECK(c.count(0).page_hits == 1);
  c.prepare(4);
  REQUIRE(!c.write(0, 2 * B, B));
  CHECK(c.count(0).full_block_writes - c.base.full_block_writes == 1);
  CHECK(c.count(0).block_reads == c.base.block_reads);
  REQUIRE(!c.write(0, 10, 10));
  CHECK(c.count(0).merge_reads - c.base.merge_reads == 1);
  CHECK(c.count(0).block_reads - c.base.block_reads == 1);
}

TEST_CASE("levels of reading: disk with token, cache", "[gpfs][pool]") {
  cluster c(1);
  c.prepare(2);
  CHECK(c.read(0, 0, 10).bytes == 10);
  CHECK(c.count(0).block_reads - c.base.block_reads == 1);
  CHECK(c.read(0, 5, 10).bytes == 10);
  CHECK(c.count(0).block_reads - c.base.block_reads == 1);
  CHECK(c.count(0).page_hits - c.base.page_hits == 1);
  io::test::hint<gpfs::gpfsClearFileCache_t> clear;
  REQUIRE(!c.files[0].fcntl(clear));
  std::int64_t const requests = c.count(0).token_requests;
  CHECK(c.read(0, 5, 10).bytes == 10);
  CHECK(c.count(0).block_reads - c.base.block_reads == 2);
  CHECK(c.count(0).token_requests == requests);  // the token has stayed
}

TEST_CASE("the pool is not larger than it is, and what it must give up is written",
          "[gpfs][pool]") {
  gpfs::machine m = small();
  m.pagepool_bytes = 4 * B;
  cluster c(1, m);
  for (int b = 0; b < 10; ++b) {
    REQUIRE(!c.write(0, 2 * b * B, 10, b + 1));
    CHECK(c.host.client(0).cached_blocks() <= 4);
  }
  CHECK(c.count(0).evictions == 6);
  for (int b = 0; b < 10; ++b) {
    CHECK(c.read(0, 2 * b * B, 10).bytes == 10);
    CHECK(c.data[9] == static_cast<std::byte>(b + 1));
  }
}

TEST_CASE("a sequential reader reads every block once, ahead of time", "[gpfs][streams]") {
  cluster c(1);
  c.prepare(32);
  for (int k = 0; k < 32 * 4; ++k) REQUIRE(c.read(0, k * B / 4, B / 4).bytes == B / 4);
  CHECK(c.count(0).block_reads - c.base.block_reads == 32);
  // the token for block 1 came with all others
  CHECK(c.count(0).prefetches - c.base.prefetches == 30);
  CHECK(c.count(0).prefetch_hits - c.base.prefetch_hits == 30);
  CHECK(c.count(0).token_requests - c.base.token_requests == 2);
}

TEST_CASE("a strided reader gets its next records, not those between", "[gpfs][streams]") {
  cluster c(1);
  c.prepare(64);
  for (int k = 0; k < 16; ++k) REQUIRE(c.read(0, k * 4 * B, 100).bytes == 100);
  CHECK(c.count(0).block_reads - c.base.block_reads == 16);
  CHECK(c.count(0).prefetches - c.base.prefetches == 13);  // from the third call on
}

TEST_CASE("a random reader gets nothing ahead of time", "[gpfs][streams]") {
  cluster c(1);
  c.prepare(32);
  for (int const b : {5, 9, 2, 30, 11, 4, 27}) REQUIRE(c.read(0, b * B, 100).bytes == 100);
  CHECK(c.count(0).prefetches == c.base.prefetches);
  CHECK(c.count(0).block_reads - c.base.block_reads == 7);
  io::test::hint<gpfs::gpfsPrefetch_t> off;
  off.a.prefetchEnableRead = 0;
  REQUIRE(!c.files[0].fcntl(off));
  for (int k = 12; k < 20; ++k) REQUIRE(c.read(0, k * B, B).bytes == B);
  CHECK(c.count(0).prefetches == c.base.prefetches);
}

TEST_CASE("a block that is given away while it is read ahead is read again", "[gpfs][streams]") {
  gpfs::machine m = small();
  m.server_mb_per_s = 0.001;  // the answer is under way for a second
  cluster c(2, m);
  c.prepare(8);
  REQUIRE(c.read(0, 0, B).bytes == B);
  REQUIRE(c.read(0, B, B).bytes == B);
  REQUIRE(c.count(0).prefetches > c.base.prefetches);
  REQUIRE(!c.files[1].resize(2 * B));
  REQUIRE(!c.files[1].resize(4 * B));
  REQUIRE(c.read(0, 2 * B, B).bytes == B);
  // the bytes that the block had when it was first requested are gone
  CHECK(c.data == std::vector<std::byte>(B));
}

TEST_CASE("a sequential writer's blocks go to disk behind it", "[gpfs][streams]") {
  cluster c(1);
  for (int k = 0; k < 40; ++k) REQUIRE(!c.write(0, k * B / 4, B / 4));
  c.host.run();
  CHECK(c.count(0).write_behinds == 10);
  CHECK(c.count(0).block_writes == 10);
  CHECK(c.host.client(0).dirty_blocks() == 0);
  CHECK(c.count(0).block_reads == 0);
}

TEST_CASE("a strided writer's parts of blocks wait for sync; close does not bring them to disk",
          "[gpfs][streams]") {
  cluster c(1);
  for (int k = 0; k < 8; ++k) REQUIRE(!c.write(0, k * 2 * B, 100));
  c.host.run();
  CHECK(c.count(0).block_writes == 0);
  CHECK(c.host.client(0).dirty_blocks() == 8);
  REQUIRE(!c.files[0].close());
  CHECK(c.host.client(0).dirty_blocks() == 8);
  c.files[0] = c.open(0);
  REQUIRE(!c.files[0].sync());
  CHECK(c.count(0).block_writes == 8);
}

TEST_CASE("beyond the limit of dirty blocks the writer waits", "[gpfs][streams]") {
  gpfs::machine m = small();
  m.write_behind_max_blocks = 3;
  cluster c(1, m);
  for (int b = 0; b < 10; ++b) {
    REQUIRE(!c.write(0, 3 * b * B, 10));
    CHECK(c.host.client(0).dirty_blocks() <= 3);
  }
  CHECK(c.count(0).write_behind_waits == 7);
  CHECK(c.count(0).block_writes == 7);
}

TEST_CASE("a synchronous write is on disk when it returns", "[gpfs][pool]") {
  cluster c(1);
  gpfs::detail::call o;
  o.kind = gpfs::detail::call_kind::open;
  o.path = "f";
  o.for_writing = o.synchronous = true;
  gpfs::detail::call w;
  w.kind = gpfs::detail::call_kind::write;
  w.instance = static_cast<int>(c.host.perform(0, o).value);
  std::vector<std::byte> const data(10);
  w.from = data;
  CHECK(c.host.perform(0, w).value == 10);
  CHECK(c.count(0).block_writes == 1);
  c.store->unwritable = {0};
  CHECK(c.host.perform(0, w).error == ENOSPC);
}

TEST_CASE("names", "[gpfs]") {
  cluster c(1);
  std::error_code error;
  auto const open = [&](char const* name, io::extend::open_flags flags) {
    return gpfs::loopback_file::open(c.host, 0, name, flags, error);
  };
  CHECK(!open("none", {.read = true}).is_open());
  CHECK(error.value() == ENOENT);
  CHECK(!open("f", {.write = true, .create = true, .exclusive = true}).is_open());
  CHECK(error.value() == EEXIST);
  auto reader = open("f", {.read = true});
  std::vector<std::byte> const data(10);
  CHECK(reader.write(0, data).error.value() == EBADF);
  gpfs::detail::call r;
  r.kind = gpfs::detail::call_kind::remove;
  r.path = "f";
  CHECK(c.host.perform(0, r).error == 0);
  CHECK(c.host.perform(0, r).error == ENOENT);
}

TEST_CASE("a file that is renamed keeps its bytes and who has it open; what had the name is gone",
          "[gpfs]") {
  cluster c(2);
  std::error_code error;
  auto const open = [&](int node, char const* name, bool create) {
    return gpfs::loopback_file::open(c.host, node, name,
                                     {.read = true, .write = true, .create = create}, error);
  };
  auto const rename = [&](char const* from, char const* to) {
    gpfs::detail::call r;
    r.kind = gpfs::detail::call_kind::rename;
    r.path = from;
    r.to = to;
    return c.host.perform(1, r).error;
  };
  auto a = open(0, "a", true), b = open(1, "b", true);
  std::vector<std::byte> const ones(3 * B, std::byte{1}), twos(10, std::byte{2});
  CHECK(!a.write(0, ones).error);
  CHECK(!b.write(0, twos).error);
  CHECK(rename("none", "a") == ENOENT);
  CHECK(rename("a", "a") == 0);
  CHECK(rename("a", "b") == 0);
  CHECK_FALSE(open(0, "a", false).is_open());
  CHECK(c.host.content("b") == ones);
  auto again = open(1, "b", false);
  std::vector<std::byte> back(3 * B);
  CHECK(again.read(0, back).bytes == 3 * B);
  CHECK(back == ones);
  CHECK(!a.write(0, twos).error);  // through the handle of its old name
  CHECK(again.read(0, back).bytes == 3 * B);
  CHECK(back[9] == std::byte{2});
  CHECK(b.read(0, back).bytes == 10);  // without a name, but open
  CHECK(rename("a", "b") == ENOENT);
}

TEST_CASE("blocks at rest may lie in an ordinary file", "[gpfs]") {
  auto const path = std::filesystem::temp_directory_path() / "argosy_gpfs_blocks";
  std::error_code error;
  auto store = std::make_shared<gpfs::detail::handle_store>(B);
  store->attach(
      0, io::posix::open(path.string(), {.read = true, .write = true, .create = true}, error));
  REQUIRE(!error);
  gpfs::loopback host(small(), 2, {}, {store, store});
  auto a =
      gpfs::loopback_file::open(host, 0, "f", {.read = true, .write = true, .create = true}, error);
  auto b = gpfs::loopback_file::open(host, 1, "f", {.read = true, .write = true}, error);
  std::vector<std::byte> const data(5 * B + 10, std::byte{3});
  CHECK(a.write(100, data).bytes == 5 * B + 10);
  std::vector<std::byte> got(10 * B);
  CHECK(b.read(0, got).bytes == 5 * B + 110);
  CHECK(got[99] == std::byte{0});
  CHECK(got[5 * B + 109] == std::byte{3});
  REQUIRE(!a.resize(150));
  CHECK(b.read(0, got).bytes == 150);
  CHECK(std::filesystem::file_size(path) == 150);
  std::filesystem::remove(path);
}

TEST_CASE("the chains of costs", "[gpfs][cost]") {
  gpfs::machine m = small();
  m.block_bytes = 1 << 18;
  m.pagepool_bytes = 64 << 18;
  auto const us = [](double seconds) { return seconds * 1e6; };
  auto const block = [&](double rate) { return us(gpfs::machine::seconds(m.block_bytes, rate)); };
  cluster c(2, m);
  auto const takes = [&](auto&& action) {
    c.host.run();
    gpfs::detail::instant const begin = c.host.now();
    action();
    return std::chrono::duration<double, std::micro>(c.host.now() - begin).count();
  };
  double const message = m.message_us + us(gpfs::machine::seconds(128, m.nic_mb_per_s));
  double const copy = us(m.seconds_to_copy(1000));
  double const first = takes([&] { REQUIRE(!c.write(0, 0, 1000)); });
  CHECK(first == Approx(m.call_us + 2 * message + m.token_us + copy).epsilon(0.02));
  CHECK(takes([&] { REQUIRE(!c.write(0, 0, 1000)); }) == Approx(m.call_us + copy).epsilon(0.01));
  double const disk = m.disk_us + block(m.disk_mb_per_s);
  double const sync = takes([&] { REQUIRE(!c.files[0].sync()); });
  CHECK(sync == Approx(m.call_us + block(m.client_write_mb_per_s) + block(m.nic_mb_per_s) +
                       block(m.server_mb_per_s) + disk + 2 * m.message_us)
                    .epsilon(0.02));
  CHECK(m.efficiency(m.queue_limit, true) == 1);
  m.overload_write = 0.5;
  CHECK(m.efficiency(2 * m.queue_limit, true) == Approx(1 / 1.5));
  CHECK(m.efficiency(2 * m.queue_limit, false) == 1);
}

TEST_CASE("what is announced for later leaves a resource to what comes before", "[gpfs][cost]") {
  using gpfs::detail::instant;
  gpfs::detail::fifo f;
  CHECK(f.take(instant(100), instant(10)) == instant(110));
  CHECK(f.take(instant(0), instant(50)) == instant(50));
  CHECK(f.take(instant(20), instant(40)) == instant(90));  // behind the second
  // there is not enough room before the first
  CHECK(f.take(instant(85), instant(20)) == instant(130));
  CHECK(f.take(instant(85), instant(10)) == instant(100));
  CHECK(f.take(instant(0), instant(1)) == instant(131));
  CHECK(f.take(instant(200), instant(0)) == instant(200));
}

TEST_CASE("nobody waits for a block that is on its way to disk", "[gpfs][cost]") {
  gpfs::machine m = small();
  m.block_bytes = 1 << 18;
  m.pagepool_bytes = 64 << 18;
  cluster c(1, m);
  REQUIRE(!c.write(0, 0, 1 << 18));
  REQUIRE(c.count(0).write_behinds == 1);
  gpfs::detail::instant const begin = c.host.now();
  REQUIRE(!c.files[0].lock(0, 1, io::extend::lock_kind::exclusive));
  double const took = std::chrono::duration<double, std::micro>(c.host.now() - begin).count();
  CHECK(took < m.call_us + 2 * m.message_us + m.token_us + 10);
}

TEST_CASE("without flow control more clients get less", "[gpfs][cost]") {
  auto const time = [](double overload) {
    gpfs::machine m = small();
    m.queue_limit = 4;
    m.overload_write = overload;
    cluster c(16, m);
    std::vector<std::byte> const data(20 * B, std::byte{1});
    std::vector<gpfs::loopback::ticket> tickets;
    for (std::size_t n = 0; n < c.files.size(); ++n) {
      gpfs::detail::call w = c.files[n].make(gpfs::detail::call_kind::write);
      w.offset = static_cast<std::int64_t>(n) * 20 * B;
      w.from = data;
      tickets.push_back(c.files[n].start(w));
    }
    c.host.run();
    CHECK(c.host.server(0).counters().longest_queue > 4);
    CHECK(c.host.server(0).counters().overloaded > 0);
    return c.host.now();
  };
  CHECK(time(1.0) > 2 * time(0));
}
