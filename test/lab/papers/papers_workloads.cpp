// Programs of the papers on machines with a single cost each, so that their time follows by
// arithmetic.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <argosy/layout/pack.hpp>
#include <papers/workloads.hpp>

#include "support/catch.hpp"

namespace {

constexpr std::int64_t block = 256 << 10;
constexpr double seek_s = 0.01;

// A machine on which only the positioning of a disk costs time. Each request for a block waits for
// one.
papers::paper_machine only_seeks(std::int64_t disks) {
  papers::paper_machine m;
  m.name = "seeks";
  for (char const* const free :
       {"call_us", "segment_us", "hint_us", "copy_mb_per_s", "client_write_mb_per_s",
        "client_read_mb_per_s", "message_us", "nic_mb_per_s", "token_us", "revoke_us",
        "server_mb_per_s", "disk_mb_per_s", "mpi_latency_us", "mpi_overhead_us"})
    m.set(free, 0);
  m.set("servers", 1);
  m.set("disks_per_server", static_cast<double>(disks));
  m.set("disk_us", seek_s * 1e6);
  m.set("block_bytes", block);
  m.set("pagepool_bytes", 1 << 30);
  m.set("close_flushes", 1);
  return m;
}

papers::row row_of(char const* software, int tasks, std::int64_t bytes, std::int64_t transfer) {
  papers::row r;
  r.software = software;
  r.nodes = tasks;
  r.bytes_per_task = bytes;
  r.transfer_bytes = transfer;
  return r;
}

double seconds(std::int64_t bytes, double mb_per_s) {
  return static_cast<double>(bytes) / 1e6 / mb_per_s;
}

}  // namespace

TEST_CASE("sparse accesses go everywhere once, and none follows one that is near",
          "[papers][workload]") {
  for (std::int64_t const count : {1, 7, 24, 100, 101, 103})
    for (std::int64_t const apart : {1, 3, 10}) {
      if (apart > count) continue;
      CAPTURE(count, apart);
      std::vector<std::int64_t> places;
      for (std::int64_t k = 0; k < count; ++k)
        places.push_back(papers::sparse_place(k, count, apart));
      if (count >= 3 * apart)  // otherwise the end of a pass is near the beginning of the next one
        for (std::size_t k = 1; k < places.size(); ++k)
          CHECK(std::abs(places[k] - places[k - 1]) >= apart);
      std::sort(places.begin(), places.end());
      for (std::size_t k = 0; k < places.size(); ++k)
        REQUIRE(places[k] == static_cast<std::int64_t>(k));
    }
}

TEST_CASE(
    "of blocks with pieces each is fetched from disk once, and several at a time by the range hint",
    "[papers][workload]") {
  papers::row r = row_of("ibm_prototype", 1, papers::blocks_of_task * 2 * 4096, 4096);
  double const all_seeks = static_cast<double>(papers::blocks_of_task) * seek_s;
  papers::paper_machine const one = only_seeks(1), eight = only_seeks(8);
  for (std::int64_t const max_acc : {0, 1, 8}) {
    CAPTURE(max_acc);
    r.max_acc = max_acc;
    double const alone = seconds(r.bytes_per_task, papers::block_pieces({r, one}).read);
    double const of_eight = seconds(r.bytes_per_task, papers::block_pieces({r, eight}).read);
    CHECK(alone > 0.999 * all_seeks);
    CHECK(alone < 1.05 * all_seeks);
    // Without the hint a task waits for each block. With it at most eight blocks are under way.
    CHECK(of_eight > all_seeks / 8);
    if (max_acc == 0)  // except if places happen to look like a stride
      CHECK(of_eight > 0.95 * all_seeks);
    else
      CHECK(of_eight < 0.6 * all_seeks);
  }
}

TEST_CASE(
    "records at random places wait for a disk each, and for several at a time by the range hint",
    "[papers][workload]") {
  constexpr std::int64_t scale = 8, count = 64;
  papers::row r = row_of("posix", 1, count * 4096 * scale, 4096);
  papers::paper_machine const machine = only_seeks(8);
  auto const time = [&] {
    return seconds(count * 4096, papers::random_records({r, machine, scale}).read);
  };
  // Few of the 64 records in 1024 blocks are in the same block.
  double const without = time();
  CHECK(without > 0.9 * count * seek_s);
  CHECK(without < 1.01 * count * seek_s);
  r.max_acc = 1;
  double const with = time();
  CHECK(with > 0.9 * count * seek_s / 8);
  CHECK(with < 0.6 * without);
}

TEST_CASE("tokens that change hands cost a partitioned file nothing", "[papers][workload]") {
  auto const rate = [](bool partitioned, double tenure_us) {
    papers::row r = row_of("posix", 2, 128 * 512, 512);
    r.unique = partitioned;
    papers::paper_machine m = only_seeks(1);
    m.set("tenure_us", tenure_us);
    m.set("call_us", 10);
    m.set("copy_mb_per_s", 100);
    return papers::strided({r, m}).write;
  };
  CHECK(rate(true, 0) == rate(true, 50'000));
  CHECK(rate(false, 0) > 1.5 * rate(false, 50'000));
  CHECK(rate(true, 50'000) > 2 * rate(false, 50'000));
}

TEST_CASE("shipped blocks of a file that is opened unique cost no tokens", "[papers][workload]") {
  auto const rate = [](bool unique, double tenure_us) {
    papers::row r = row_of("ibm_prototype", 3, 16 * block, 1024);
    r.unique = unique;
    r.stripe_bytes = 2 * block;
    papers::paper_machine m = only_seeks(1);
    m.set("tenure_us", tenure_us);
    return papers::discontiguous({r, m}).write;
  };
  CHECK(rate(true, 0) == rate(true, 50'000));
  CHECK(rate(false, 0) > rate(false, 50'000));
}

TEST_CASE("dealt blocks are those of the whole file, through the agents", "[papers][workload]") {
  constexpr std::int64_t blocks = 40;
  for (bool const partitioned : {false, true}) {
    CAPTURE(partitioned);
    papers::row r = row_of("ibm_prototype", 1, blocks * block, 8192);
    r.unique = partitioned;
    r.stripe_bytes = 4 * block;
    papers::paper_machine const one = only_seeks(1);
    double const read = seconds(r.bytes_per_task, papers::dealt_blocks({r, one}).read);
    CHECK(read > 0.999 * blocks * seek_s);
    CHECK(read < 1.2 * blocks * seek_s);
  }
}

TEST_CASE("BTIO's cells are the whole array, also if the tasks do not divide its edge",
          "[papers][workload]") {
  for (std::int64_t const q : {2, 3, 4}) {
    constexpr std::int64_t n = 10, bytes = n * n * n * 40;
    std::vector<unsigned char> file(bytes, 0), ones(bytes, 1);
    std::int64_t all = 0, least = bytes, most = 0;
    for (argosy::bench::share const& mine : papers::btio_shares(q, n)) {
      CHECK(mine.view.size() == mine.bytes);
      argosy::unpack(mine.view, ones.data(), 0, mine.bytes, file.data());
      all += mine.bytes;
      least = std::min(least, mine.bytes);
      most = std::max(most, mine.bytes);
    }
    CHECK(all == bytes);  // with the next line: no point belongs to two tasks
    CHECK(std::count(file.begin(), file.end(), 1) == bytes);
    CHECK(most - least < bytes / (q * q));
  }
}

TEST_CASE("ROMIO's levels make the accesses that they stand for", "[papers][workload]") {
  // An array of 16^3 integers, whose rows two tasks share. Each task has 256 pieces of 32 bytes,
  // from one end of the file to the other.
  constexpr std::int64_t bytes = 16 * 16 * 16 * 4;
  papers::paper_machine m;
  m.set("striped_servers", 1);
  m.set("striped_request_us", seek_s * 1e6);
  m.set("striped_lock_us", 0);
  papers::row r = row_of("romio_1", 2, bytes / 2, 0);
  auto const level = [&](int l) {
    r.level = l;
    papers::rates const x = papers::dist3d({r, m});
    return papers::rates{seconds(bytes, x.write), seconds(bytes, x.read)};
  };
  papers::rates const by_pieces = level(0), sieved = level(2), together = level(3);
  // Each piece waits for a positioning, unless the other task has just reached the byte before it.
  CHECK(by_pieces.write > 256 * seek_s);
  CHECK(by_pieces.write < 513 * seek_s);
  CHECK(by_pieces.read > 256 * seek_s);
  CHECK(by_pieces.read < 513 * seek_s);
  // Each task accesses its whole hull. A read is one access. A write is a read and a write, and the
  // other task waits meanwhile. In a new file there is nothing to read.
  CHECK(sieved.read > 1.99 * seek_s);
  CHECK(sieved.read < 2.1 * seek_s);
  CHECK(sieved.write > 2.99 * seek_s);
  CHECK(sieved.write < 4.1 * seek_s);
  // Each half of the file is accessed once.
  CHECK(together.write > 0.99 * seek_s);
  CHECK(together.write < 2.1 * seek_s);
  CHECK(together.read < 2.1 * seek_s);

  m.set("striped_locks", 0);
  CHECK(level(2).write == level(0).write);
  CHECK(level(2).read < 2.1 * seek_s);

  // Points may have any order. The tasks together read all of them, each the same number. Calls of
  // GPFS are refused on a machine without it.
  papers::row points = row_of("romio_1", 2, 64 * 100, 0);
  CHECK(seconds(2 * 64 * 100, papers::unstruc({points, m}).read) < 2.1 * seek_s);
  CHECK_THROWS_AS(papers::btio({points, m}), std::invalid_argument);
  points.nodes = 4;
  CHECK(papers::btio({points, m}).write > 0);
  papers::row const plain = row_of("posix", 1, 4096, 4096);
  CHECK_THROWS_AS(papers::segmented({plain, m}), std::invalid_argument);
}
