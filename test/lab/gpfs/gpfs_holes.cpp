// Holes, and which nodes know of them. A write into a hole reads nothing from disk.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <system_error>
#include <variant>
#include <vector>

#include <argosy/lab/gpfs/detail/block_set.hpp>
#include <argosy/lab/gpfs/detail/block_store.hpp>
#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

#include "support/gpfs_hints.hpp"
#include "support/seed.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using io::test::seed;

namespace {

constexpr int B = 1024;

gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.pagepool_bytes = 64 * B;
  m.servers = 2;
  m.lease_s = 0.1;
  return m;
}

using bytes = std::vector<std::byte>;

// Nodes 0 ... n - 1, each with the file open, and the expected content of the file.
struct cluster {
  explicit cluster(int nodes) : host(small(), nodes) {
    for (int n = 0; n < nodes; ++n) {
      std::error_code error;
      files.push_back(gpfs::loopback_file::open(
          host, n, "f", {.read = true, .write = true, .create = true}, error));
      REQUIRE(!error);
    }
  }
  // Returns the number of blocks that were read from disks for the write.
  std::int64_t write(int node, std::int64_t offset, std::int64_t length) {
    std::int64_t const before = reads();
    bytes const data(static_cast<std::size_t>(length), static_cast<std::byte>(++value));
    REQUIRE(files[static_cast<std::size_t>(node)].write(offset, data).bytes == length);
    expected.resize(std::max(expected.size(), static_cast<std::size_t>(offset + length)));
    std::copy(data.begin(), data.end(), expected.begin() + offset);
    return reads() - before;
  }
  void resize(int node, std::int64_t size) {
    REQUIRE(!files[static_cast<std::size_t>(node)].resize(size));
    expected.resize(static_cast<std::size_t>(size));
  }
  bytes read(int node) {
    bytes all(expected.size() + 1);
    io::extend::io_result const r = files[static_cast<std::size_t>(node)].read(0, all);
    REQUIRE(!r.error);
    all.resize(static_cast<std::size_t>(r.bytes));
    return all;
  }
  // Checks what the node reads, what all nodes together have, and what is on disk after all is
  // written.
  void check(int node) {
    REQUIRE(read(node) == expected);
    REQUIRE(host.content("f") == expected);
    for (gpfs::loopback_file& f : files)
      if (!host.is_dead(f.node())) REQUIRE(!f.sync());
    REQUIRE(host.on_disk("f") == expected);
  }
  // Writes dirty pages, and gives all tokens back.
  void let_go(int node) {
    auto all = io::test::free_range(0, 0);
    REQUIRE(!files[static_cast<std::size_t>(node)].fcntl(all));
  }
  // Kills a node, and waits until the others know.
  void kill(int node) {
    host.kill(node);
    host.run();
    REQUIRE(host.manager().counters().failed_nodes > 0);
  }
  template <class Argument>
  void all(std::vector<Argument> arguments) {
    std::vector<gpfs::loopback::ticket> tickets;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      gpfs::detail::call c = files[k].make(gpfs::detail::call_kind::fcntl);
      c.argument = std::as_writable_bytes(std::span(&arguments[k], 1));
      tickets.push_back(files[k].start(c));
    }
    for (auto const& t : tickets) REQUIRE(host.wait(t).error == 0);
  }
  std::int64_t reads() {
    std::int64_t n = 0;
    for (int k = 0; k < host.hardware().servers; ++k) n += host.server(k).counters().reads;
    return n;
  }
  gpfs::client_counters const& count(int node) { return host.client(node).counters(); }

  gpfs::loopback host;
  std::deque<gpfs::loopback_file> files;
  bytes expected;
  int value = 0;
};

}  // namespace

TEST_CASE("a part of a hole below the end of file is written without reading", "[gpfs][holes]") {
  cluster c(1);
  CHECK(c.write(0, 5 * B, 10) == 0);
  CHECK(c.write(0, B + 7, 10) == 0);      // in one block
  CHECK(c.write(0, 3 * B - 5, 10) == 0);  // in two blocks
  CHECK(c.count(0).new_blocks == 4);
  CHECK(c.count(0).merge_reads == 0);
  CHECK(c.count(0).full_block_writes == 0);
  c.check(0);
  // Blocks that the node has written are no holes, whether they are still in the pool or not.
  c.let_go(0);
  CHECK(c.write(0, B + 70, 10) == 1);
  CHECK(c.write(0, 4 * B + 70, 10) == 0);
  CHECK(c.write(0, 0, B) == 0);
  CHECK(c.count(0).merge_reads == 1);
  CHECK(c.count(0).new_blocks == 6);
  c.check(0);
}

TEST_CASE("a hole that another node has filled is none", "[gpfs][holes]") {
  cluster c(3);
  CHECK(c.write(0, 7 * B, 10) == 0);
  CHECK(c.write(0, 2 * B, 10) == 0);
  CHECK(c.write(1, 2 * B + 20, 10) == 1);  // node 0 gives up the block
  CHECK(c.write(1, 3 * B + 20, 10) == 0);
  CHECK(c.write(2, 2 * B + 40, 10) == 1);  // node 1 knows from node 0
  CHECK(c.write(2, 3 * B + 40, 10) == 1);
  CHECK(c.write(2, 4 * B + 40, 10) == 0);
  c.let_go(2);
  CHECK(c.write(0, 4 * B + 60, 10) == 1);  // the manager knows
  CHECK(c.write(0, 5 * B + 60, 10) == 0);
  c.check(1);
  // A node that reads a hole must not remember it as one.
  CHECK(c.write(1, 6 * B, 10) == 0);
  CHECK(c.read(0) == c.expected);
  CHECK(c.write(2, 6 * B + 20, 10) == 1);
  c.check(0);
}

TEST_CASE("what a file is cut to and grows to again is holes", "[gpfs][holes]") {
  int const who = GENERATE(0, 1);  // the node that truncates
  CAPTURE(who);
  cluster c(2);
  c.write(0, 0, 4 * B);
  c.write(1, 4 * B, 2 * B);
  c.resize(who, B + B / 2);
  c.resize(1 - who, 8 * B);
  CHECK(c.write(0, 3 * B, 10) == 0);
  CHECK(c.write(1, 4 * B, 10) == 0);
  CHECK(c.write(0, 6 * B, 10) == 0);
  CHECK(c.write(0, B + B - 10, 5) == 1);  // half of this block was left
  CHECK(c.write(1, 5, 5) == 1);
  CHECK(c.write(1, 3 * B + 20, 10) == 1);  // this one is new
  c.check(0);
  c.resize(who, 0);
  c.resize(who, 4 * B);
  CHECK(c.write(1 - who, 5, 5) == 0);
  c.check(who);
}

TEST_CASE("room that is promised is holes, and what was there stays", "[gpfs][holes]") {
  cluster c(2);
  c.write(0, 10, 10);
  REQUIRE(!c.files[1].preallocate(8 * B));
  c.expected.resize(8 * B);
  CHECK(c.write(1, 5 * B, 10) == 0);
  CHECK(c.write(1, 40, 10) == 1);
  REQUIRE(!c.files[0].preallocate(2 * B));  // no change
  CHECK(c.write(0, 5 * B + 20, 10) == 1);
  c.check(0);
}

TEST_CASE("of what a lost node wrote the blocks that reached a disk are no holes",
          "[gpfs][holes][crash]") {
  cluster c(3);
  c.write(0, 9 * B, 10);
  c.write(0, 2 * B, 10);
  REQUIRE(!c.files[0].sync());
  bytes const synced = c.expected;
  c.write(0, 3 * B, 10);  // stays in the pool
  c.kill(0);
  c.expected = synced;
  CHECK(c.write(1, 2 * B + 20, 10) == 1);
  CHECK(c.write(1, 3 * B + 20, 10) == 0);
  CHECK(c.write(2, 9 * B + 20, 10) == 1);
  CHECK(c.write(2, 8 * B + 20, 10) == 0);
  c.check(1);
}

TEST_CASE("behind the last known end, too, what a lost node flushed is the same to everybody",
          "[gpfs][holes][crash]") {
  cluster c(2);
  c.write(0, 0, 10);
  REQUIRE(!c.files[0].sync());
  c.write(0, 4 * B, B);  // goes to disk at once; no other node knows the new end
  c.host.run();
  c.kill(0);
  CHECK(c.write(1, 4 * B + 20, 10) == 1);
  c.expected.resize(4 * B + 30);
  bytes const before = c.read(1);
  c.let_go(1);
  CHECK(c.read(1) == before);
}

TEST_CASE("what a node gives up to one that dies is asked of it again", "[gpfs][holes][crash]") {
  cluster c(3);
  c.write(0, 7 * B, 10);
  c.write(0, 2 * B, 10);
  // Node 1 dies when it receives the answer, before it has told the manager.
  c.host.on_delivery = [&](gpfs::detail::message const& m, gpfs::detail::instant) {
    if (std::holds_alternative<gpfs::detail::revoke_answer>(m.body) && m.to.index == 1)
      c.host.kill(1);
  };
  bytes const data(10, std::byte{99});
  gpfs::detail::call w = c.files[1].make(gpfs::detail::call_kind::write);
  w.offset = 2 * B + 20;
  w.from = data;
  c.files[1].start(w);
  c.host.run();
  REQUIRE(c.host.is_dead(1));
  c.host.on_delivery = nullptr;
  CHECK(c.write(2, 2 * B + 40, 10) == 1);
  CHECK(c.write(2, 3 * B + 40, 10) == 0);
  c.check(2);
}

TEST_CASE("owners know the holes of a partitioned file, and others know them afterwards",
          "[gpfs][holes][partitioning]") {
  cluster c(2);
  c.write(0, 9 * B, 10);
  c.write(1, 2 * B, 10);
  c.write(0, 3 * B, 10);
  c.all(std::vector<io::test::hint<gpfs::gpfsDataShipStart_t>>(2, io::test::ship_start(2)));
  for (std::int64_t const block : {2, 3}) CHECK(c.write(0, block * B + 20, 10) == 1);
  for (std::int64_t const block : {4, 5}) CHECK(c.write(1, block * B + 20, 10) == 0);
  CHECK(c.read(0) == c.expected);
  c.all(std::vector<io::test::ship_stop>(2));
  for (std::int64_t const block : {2, 3, 4, 5}) CHECK(c.write(1, block * B + 40, 10) == 1);
  for (std::int64_t const block : {6, 7}) CHECK(c.write(0, block * B + 40, 10) == 0);
  c.check(1);
}

TEST_CASE("what a lost owner flushed is no hole", "[gpfs][holes][partitioning][crash]") {
  cluster c(3);
  c.write(0, 9 * B, 10);
  c.all(std::vector<io::test::ship_start_map>(3, io::test::ship_start_with(3, B, std::vector{2})));
  c.write(0, 2 * B, 10);
  REQUIRE(!c.files[0].sync());
  bytes const synced = c.expected;
  c.write(1, 3 * B, 10);
  c.kill(2);
  c.expected = synced;
  std::vector<io::test::ship_stop> stops(2);
  std::vector<gpfs::loopback::ticket> tickets;
  for (std::size_t k = 0; k < 2; ++k) {
    gpfs::detail::call s = c.files[k].make(gpfs::detail::call_kind::fcntl);
    s.argument = std::as_writable_bytes(std::span(&stops[k], 1));
    tickets.push_back(c.files[k].start(s));
  }
  for (auto const& t : tickets) c.host.wait(t);  // fails, because an owner is lost
  CHECK(c.write(1, 2 * B + 20, 10) == 1);
  CHECK(c.write(1, 3 * B + 20, 10) == 0);
  c.check(0);
}

TEST_CASE("a hint for a range to be written reads no hole", "[gpfs][holes][hints]") {
  cluster c(1);
  c.write(0, 7 * B, 10);
  c.write(0, 2 * B, 10);
  c.let_go(0);
  std::int64_t const before = c.reads();
  io::test::ranges_hint h;
  h.a.accRangeCnt = 2;
  h.a.accRangeArray[0] = {2, 0, 10, 1, {}};
  h.a.accRangeArray[1] = {3, 0, 10, 1, {}};
  REQUIRE(!c.files[0].fcntl(h));
  c.host.run();
  CHECK(c.reads() - before == 1);
  CHECK(c.write(0, 2 * B + 20, 10) == 0);
  CHECK(c.write(0, 3 * B + 20, 10) == 0);
  c.check(0);
}

TEST_CASE("a set of blocks is one, in whatever pieces it is made", "[gpfs][holes]") {
  CAPTURE(seed());
  std::mt19937_64 random(seed());
  auto const number = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  };
  constexpr std::int64_t end = 40;
  for (int round = 0; round < 300; ++round) {
    gpfs::detail::block_set a, b;
    std::set<std::int64_t> of_a, of_b;
    for (int step = 0; step < 20; ++step) {
      gpfs::detail::block_range const r{number(end), number(end)};
      bool const first = number(2) == 0, adds = number(3) > 0;
      gpfs::detail::block_set& s = first ? a : b;
      adds ? s.add(r) : s.remove(r);
      for (std::int64_t k = r.begin; k < r.end; ++k)
        if (adds)
          (first ? of_a : of_b).insert(k);
        else
          (first ? of_a : of_b).erase(k);
      REQUIRE(s.sound());
    }
    for (std::int64_t k = 0; k < end; ++k) REQUIRE(a.contains(k) == of_a.contains(k));
    gpfs::detail::block_range const part{number(end), number(end)};
    gpfs::detail::block_set const inside = a.within(part);
    REQUIRE(inside.sound());
    for (std::int64_t k = 0; k < end; ++k)
      REQUIRE(inside.contains(k) == (part.contains(k) && of_a.contains(k)));
    a.add(b);
    of_a.insert(of_b.begin(), of_b.end());
    REQUIRE(a.sound());
    for (std::int64_t k = 0; k < end; ++k) REQUIRE(a.contains(k) == of_a.contains(k));
  }
  gpfs::detail::block_set endless{{{7, gpfs::detail::no_end}}};
  CHECK(endless.contains(gpfs::detail::no_end - 1));
  endless.remove({20, gpfs::detail::no_end});
  CHECK(endless == gpfs::detail::block_set{{{7, 20}}});
  for (gpfs::detail::block_set const& unsound : {gpfs::detail::block_set{{{-1, 2}}},
                                                 {{{3, 3}}},
                                                 {{{4, 3}}},
                                                 {{{1, 2}, {2, 3}}},
                                                 {{{4, 5}, {1, 2}}}})
    CHECK_FALSE(unsound.sound());
}
