// Nodes with a limited number of processors: the time that ranks take from each other and from the
// file system by computing, copying and polling.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>
#include <argosy/policy/data_shipping.hpp>

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using io::lab::contents;
using io::lab::virtual_rank;

namespace {

constexpr std::int64_t MiB = std::int64_t{1} << 20;

bool near(double a, double b) { return a > 0.99 * b && a < 1.01 * b; }

// Servers are so fast that the node is the limit.
gpfs::machine testbed() {
  gpfs::machine m;
  m.block_bytes = MiB;
  m.copy_mb_per_s = 1000;
  m.client_write_mb_per_s = 160;
  m.client_read_mb_per_s = 160;
  m.pagepool_bytes = 100 * MiB;
  m.nic_mb_per_s = 350;
  m.server_mb_per_s = 0;
  m.disk_mb_per_s = 0;
  m.disk_us = 0;
  return m;
}

// Returns the virtual seconds in which ranks of one node compute for a second each.
double computing(int ranks, std::int64_t processors) {
  io::lab::scenario s{.ranks = ranks, .ranks_per_node = ranks};
  s.network.node_processors = processors;
  return io::lab::virtual_cluster(s)
      .run([](virtual_rank const& world) { world.compute(1); })
      .seconds;
}

// Returns the virtual seconds in which the first of some ranks of a node writes, while the others
// wait for it.
double writing_alone(int ranks, std::int64_t processors, bool polls,
                     gpfs::machine const& m = testbed()) {
  io::lab::scenario s{.ranks = ranks, .ranks_per_node = ranks};
  s.network.node_processors = processors;
  s.network.polls_in_files = polls;
  io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
  io::lab::hollow_memory const data(static_cast<std::size_t>(MiB));
  return io::lab::virtual_cluster(s, {.contents = contents::none})
      .run([&](virtual_rank const& world) {
        if (world.rank() == 0) {
          std::error_code error;
          auto f = files.open("f", {.write = true, .create = true}, error);
          REQUIRE_FALSE(error);
          for (std::int64_t k = 0; k < 40; ++k) REQUIRE_FALSE(f.write(k * MiB, data.bytes()).error);
          REQUIRE_FALSE(f.sync());
        }
        world.barrier();
      })
      .seconds;
}

// Each rank writes 16 MiB in rows of 3200 bytes, collectively. Rows of the ranks alternate.
struct rows {
  int ranks = 8, per_node = 8;
  gpfs::machine m = testbed();
  io::lab::virtual_network net = {};

  double seconds() const {
    io::lab::scenario s{.ranks = ranks, .ranks_per_node = per_node};
    s.network = net;
    io::lab::virtual_gpfs const files(m, (ranks - 1) / per_node + 1, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(bytes));
    return io::lab::virtual_cluster(
               s, {.stack_bytes = std::size_t{1} << 20, .contents = contents::none})
        .run([&](virtual_rank const& world) {
          auto f = io::lab::virtual_file::open(world, "f", io::mode::create | io::mode::write, {},
                                               files.opener());
          f.set_view(world.rank() * row,
                     {io::bytes(1), io::resized(io::bytes(row), 0, row * world.size())});
          f.write_at_all(
              0, data.bytes(),
              io::data_shipping{.stripe_bytes = MiB, .agents = world.size(), .window_bytes = MiB});
          f.sync();
          f.close();
        })
        .seconds;
  }
  // Returns the rate of a node.
  double mb_per_s() const { return static_cast<double>(bytes * per_node) / 1e6 / seconds(); }

  static constexpr std::int64_t row = 3200, pieces = 5243, bytes = row * pieces;
};

}  // namespace

TEST_CASE("ranks that outnumber the processors of their node share them", "[virtual][mechanisms]") {
  CHECK(near(computing(4, 0), 1));
  CHECK(near(computing(4, 4), 1));
  CHECK(near(computing(4, 2), 2));
  CHECK(near(computing(4, 1), 4));
  CHECK_THROWS_WITH(computing(4, -1), Catch::Matchers::ContainsSubstring("node_processors is -1"));
  CHECK_THROWS_AS(computing(4, std::int64_t{1} << 40), std::invalid_argument);
}

TEST_CASE("the file system gets half of a processor where ranks that poll hold them all",
          "[gpfs][mechanisms]") {
  double const uncounted = writing_alone(8, 0, true), free = writing_alone(8, 9, true),
               none = writing_alone(8, 8, true);
  CAPTURE(uncounted, free, none);
  CHECK(near(free, uncounted));
  CHECK(none > 1.9 * free);
  CHECK(none < 2.1 * free);
  // A rank that sleeps until some of its blocks are on disk leaves its processor to the file
  // system.
  gpfs::machine m = testbed();
  m.write_behind_max_blocks = 2;
  CHECK(writing_alone(8, 8, false, m) < 1.1 * free);
}

TEST_CASE("a rank that computes beside the file system on one processor loses what that takes",
          "[gpfs][mechanisms]") {
  auto const seconds = [](std::int64_t processors) {
    io::lab::scenario s{.ranks = 1, .ranks_per_node = 1};
    s.network.node_processors = processors;
    io::lab::virtual_gpfs const files(testbed(), 1, {}, contents::none);
    io::lab::hollow_memory const data(static_cast<std::size_t>(MiB));
    return io::lab::virtual_cluster(s, {.contents = contents::none})
        .run([&](virtual_rank const& world) {
          std::error_code error;
          auto f = files.open("f", {.write = true, .create = true}, error);
          REQUIRE_FALSE(error);
          for (std::int64_t k = 0; k < 32; ++k) REQUIRE_FALSE(f.write(k * MiB, data.bytes()).error);
          world.compute(1);
        })
        .seconds;
  };
  // the data goes to disk while the rank computes
  double const behind = 32 * 1.048576 / 160, lost = seconds(1) - seconds(2);
  CAPTURE(behind, lost);
  CHECK(lost > 0.95 * behind);
  CHECK(lost < 1.05 * behind);
}

TEST_CASE("tasks of a node access one file in turn, and several files beside each other",
          "[gpfs][mechanisms]") {
  constexpr std::int64_t calls = 500, bytes = 800;
  // Returns the virtual seconds in which each task writes, or reads what it has written.
  auto const seconds = [](int tasks, bool one_file, bool reads) {
    gpfs::machine m = testbed();
    m.call_us = 13;
    m.write_call_us = 39;
    io::lab::scenario s{.ranks = tasks, .ranks_per_node = tasks};
    s.network.node_processors = 8;
    io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
    io::lab::hollow_memory const data(bytes);
    double took = 0;
    io::lab::virtual_cluster(s, {.contents = contents::none}).run([&](virtual_rank const& world) {
      std::error_code error;
      int const rank = world.rank();
      auto f = files.open(one_file ? "f" : "f" + std::to_string(rank),
                          {.read = true, .write = true, .create = true}, error);
      REQUIRE_FALSE(error);
      for (bool const reading : {false, true}) {
        world.barrier();
        double const began = world.now();
        for (std::int64_t k = 0; k < calls; ++k) {
          std::int64_t const at = (rank * calls + k) * bytes;
          REQUIRE_FALSE((reading ? f.read(at, data.bytes()) : f.write(at, data.bytes())).error);
        }
        world.barrier();
        if (reading == reads) took = world.now() - began;
      }
    });
    return took;
  };
  for (bool const reads : {false, true}) {
    double const alone = seconds(1, true, reads), beside = seconds(4, false, reads),
                 in_turn = seconds(4, true, reads);
    double const call = reads ? 13e-6 : 52e-6;
    CAPTURE(reads, alone, beside, in_turn);
    CHECK(alone > calls * call);
    CHECK(beside < 1.3 * alone);
    CHECK(in_turn > 4 * calls * call);
    CHECK(in_turn < 4 * calls * call * 1.1);
  }
}

TEST_CASE("of the way to the servers, only the work of a processor waits for one",
          "[gpfs][mechanisms]") {
  gpfs::machine m = testbed();
  m.ip_mb_per_s = 320;  // half of the time of a block
  double const free = writing_alone(8, 9, true, m), none = writing_alone(8, 8, true, m);
  CHECK(none > 1.4 * free);
  CHECK(none < 1.6 * free);
}

TEST_CASE("copies of collective calls take a rank's processor, also within a node",
          "[virtual][mechanisms]") {
  for (int const per_node : {8, 4}) {
    rows plain{.per_node = per_node};
    plain.m.copy_mb_per_s = plain.m.client_write_mb_per_s = plain.m.nic_mb_per_s = 0;
    double const without = plain.seconds();
    plain.net.piece_ns = 20'000;
    double const by_pieces = plain.seconds() - without;
    CAPTURE(per_node, without, by_pieces);
    // Each piece is copied once: by its rank into a window of the same node, or by an agent of
    // another node out of a message.
    double const once = rows::pieces * 20e-6;
    CHECK(by_pieces > 0.85 * once);
    CHECK(by_pieces < 1.15 * once);
  }
}

TEST_CASE("eight tasks that poll on eight processors are slower than seven", "[gpfs][mechanisms]") {
  rows seven{.ranks = 7, .per_node = 7}, eight{.ranks = 8, .per_node = 8};
  for (rows* const r : {&seven, &eight}) {
    r->m.ip_mb_per_s = 320;
    r->net.pack_mb_per_s = 1000;
    r->net.piece_ns = 20'000;
    r->net.polls_in_files = true;
  }
  double const uncounted = eight.mb_per_s() / seven.mb_per_s();
  seven.net.node_processors = eight.net.node_processors = 8;
  double const counted = eight.mb_per_s() / seven.mb_per_s();
  CAPTURE(uncounted, counted, seven.mb_per_s(), eight.mb_per_s());
  CHECK(uncounted > 0.95);
  CHECK(counted > 0.6);
  CHECK(counted < 0.9);
}
