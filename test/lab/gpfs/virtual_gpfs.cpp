// The simulated GPFS in the virtual cluster: calls that wait in virtual time, files that outlive
// runs, names.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/traffic.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "lab/gpfs/virtual_gpfs_cases.hpp"
#include "support/catch.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("two writers in one block: exact counts, and the last write is read", "[virtual_gpfs]") {
  io::lab::virtual_gpfs const files(small(), 2);
  io::lab::virtual_cluster const cluster({.ranks = 2, .ranks_per_node = 1, .seed = 3},
                                         {.timeline = true});
  io::lab::virtual_report const r = cluster.run([&](io::lab::virtual_rank const& world) {
    auto f = open_at(files);
    bytes const mine = filled(100, world.rank() + 1);
    for (int turn = 0; turn < 2; ++turn) {
      if (turn == world.rank()) CHECK(f.write(100 * turn, mine).bytes == 100);
      world.barrier();
    }
    bytes all(300, std::byte{9});
    if (world.rank() == 0) {
      auto const got = f.read(0, all);
      CHECK(got.bytes == 200);
      CHECK(all[99] == std::byte{1});
      CHECK(all[199] == std::byte{2});
      CHECK(all[200] == std::byte{9});
    }
    world.barrier();
    CHECK_FALSE(f.close());
  });
  gpfs::client_counters const all = files.counters();
  CHECK(all.token_requests == 3);
  CHECK(all.revokes_sent == 2);
  CHECK(all.revoke_flushes == 2);
  CHECK(all.downgrades == 1);
  CHECK(files.counters(0).revokes_received == 1);
  CHECK(files.counters(1).revokes_received == 1);
  CHECK(files.counters(0).calls + files.counters(1).calls == all.calls);
  // Every call is in the picture, and takes time.
  CHECK(r.file_calls == 7);
  CHECK(std::count_if(r.timeline.begin(), r.timeline.end(), [](auto const& s) {
          return std::string(s.kind) == "file" && s.end_ps - s.begin_ps >= 10'000'000;
        }) == 7);
  bytes const there = files.content("f");
  REQUIRE(there.size() == 200);
  CHECK(there[0] == std::byte{1});
  CHECK(there[199] == std::byte{2});
  // All ranks have closed the file, and the run has finished its events.
  CHECK(files.on_disk("f") == there);
}

TEST_CASE("the same seeds give the same run, others give others", "[virtual_gpfs]") {
  auto const hash = [](std::uint64_t seed, std::uint64_t delays) {
    io::lab::virtual_gpfs const files(
        small(), 4, {.seed = delays, .delay_max = std::chrono::microseconds(500)});
    return io::lab::virtual_cluster({.ranks = 8, .ranks_per_node = 2, .seed = seed})
        .run([&](io::lab::virtual_rank const& world) {
          auto f = open_at(files);
          for (int k = 0; k < 5; ++k) f.write(300 * ((world.rank() + 3 * k) % 16), filled(300, k));
          f.close();
        })
        .trace_hash;
  };
  CHECK(hash(1, 1) == hash(1, 1));
  CHECK(hash(1, 1) != hash(2, 1));
  CHECK(hash(1, 1) != hash(1, 2));
}

TEST_CASE("events of one instant happen as they were made, in every run and outside of runs",
          "[virtual_gpfs]") {
  using log = std::vector<std::pair<gpfs::detail::instant, std::string>>;
  gpfs::machine m = small();
  m.servers = 8;
  m.message_us = 0;
  m.nic_mb_per_s = m.client_write_mb_per_s = m.copy_mb_per_s = 1e9;
  auto const use = [](io::lab::virtual_gpfs const& files) {
    auto f = open_at(files);
    CHECK(f.write(0, filled(16 * B, 1)).bytes == 16 * B);
    CHECK_FALSE(f.sync());
    CHECK_FALSE(f.close());
  };
  auto const delivered = [&](auto&& run) {
    io::lab::virtual_gpfs const files(m, 1);
    log all;
    files.system().on_delivery = [&](gpfs::detail::message const& what, gpfs::detail::instant at) {
      all.emplace_back(at, std::to_string(static_cast<int>(what.to.who)) + ":" +
                               std::to_string(what.to.index) + " from " +
                               std::to_string(what.from.index));
    };
    run(files);
    return all;
  };
  log const outside = delivered(use);
  auto const same = [](auto const& a, auto const& b) { return a.first == b.first; };
  REQUIRE(std::adjacent_find(outside.begin(), outside.end(), same) != outside.end());
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    CHECK(outside == delivered([&](io::lab::virtual_gpfs const& files) {
            io::lab::virtual_cluster({.ranks = 1, .seed = seed})
                .run([&](io::lab::virtual_rank const&) { use(files); });
          }));
}

TEST_CASE("what is left at the end of a run happens after it", "[virtual_gpfs]") {
  io::lab::virtual_gpfs const files(small(), 1);
  CHECK_THROWS_AS(io::lab::virtual_cluster({.ranks = 1}).run([&](io::lab::virtual_rank const&) {
    auto f = open_at(files);
    CHECK(f.write(0, filled(3 * B, 1)).bytes == 3 * B);
    throw std::runtime_error("the program ends here");
  }),
                  std::runtime_error);
  auto f = open_at(files);  // outside of runs, events happen until the call is complete
  CHECK_FALSE(f.sync());
  CHECK(files.on_disk("f") == filled(3 * B, 1));
}

TEST_CASE("files outlive runs, and are there from outside", "[virtual_gpfs]") {
  io::lab::virtual_gpfs files(small(), 2);
  files.put("old", filled(3000, 5));
  CHECK(files.on_disk("old") == filled(3000, 5));
  io::lab::virtual_cluster const cluster({.ranks = 2, .ranks_per_node = 1});
  for (int run = 0; run < 3; ++run)
    cluster.run([&](io::lab::virtual_rank const& world) {
      auto f = open_at(files, "old");
      bytes all(4000);
      CHECK(f.read(0, all).bytes == 3000 + run);
      world.barrier();
      if (world.rank() == run % 2) CHECK(f.write(3000 + run, filled(1, run)).bytes == 1);
    });
  CHECK(files.content("old").size() == 3003);
  CHECK(files.names() == std::vector<std::string>{"old"});
  std::error_code error;
  auto from_outside = files.opener()("old", create, error);
  bytes last(10);
  CHECK(from_outside.read(3000, last).bytes == 3);
  CHECK(last[2] == std::byte{2});
  CHECK_FALSE(from_outside.lock(0, 5, io::extend::lock_kind::exclusive));
  CHECK_FALSE(from_outside.close());
  CHECK_FALSE(files.opener().remove("old"));
  CHECK(errno_of(files.opener().remove("old")) == ENOENT);
  CHECK_FALSE(files.exists("old"));
  CHECK(files.content("old").empty());
}

TEST_CASE("outside of runs a lock of another cannot be waited for", "[virtual_gpfs][locks]") {
  io::lab::virtual_gpfs files(small(), 1);
  auto one = open_at(files), other = open_at(files);
  CHECK_FALSE(one.lock(0, 5, io::extend::lock_kind::exclusive));
  CHECK_THROWS_WITH(other.lock(0, 5, io::extend::lock_kind::exclusive),
                    ContainsSubstring("no event is left that could end the wait"));
}

TEST_CASE("a file that is not there is no open file", "[virtual_gpfs]") {
  io::lab::virtual_gpfs const files(small(), 1);
  std::error_code error;
  for (std::string const path : {"", "missing"}) {
    auto const h = files.open(path, {.read = true}, error);
    CHECK(errno_of(error) == ENOENT);
    CHECK_FALSE(h.is_open());
  }
}

TEST_CASE("locks are waited for in virtual time, by ranks and not by nodes",
          "[virtual_gpfs][locks]") {
  for (int const per_node : {1, 2, 4}) {
    io::lab::virtual_gpfs const files(small(), 4);
    std::int64_t sum = 0;
    std::int64_t inside = 0;
    io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = per_node, .seed = 5})
        .run([&](io::lab::virtual_rank const& world) {
          auto f = open_at(files);
          for (int k = 0; k < 5; ++k) {
            CHECK_FALSE(f.lock(0, 8, io::extend::lock_kind::exclusive));
            CHECK(++inside == 1);
            std::int64_t n = 0;
            CHECK(f.read(0, std::as_writable_bytes(std::span(&n, 1))).bytes == (sum == 0 ? 0 : 8));
            world.compute(1e-3);
            world.pause();
            CHECK(n == sum);
            sum = ++n;
            CHECK(f.write(0, std::as_bytes(std::span(&n, 1))).bytes == 8);
            --inside;
            CHECK_FALSE(f.unlock(0, 8));
          }
          CHECK_FALSE(f.close());
        });
    CHECK(sum == 20);
    CHECK(files.system().manager().counters().locks == 20);
  }
}

TEST_CASE("a lock that nobody gives back is named in the deadlock", "[virtual_gpfs][locks]") {
  io::lab::virtual_gpfs const files(small(), 2);
  CHECK_THROWS_WITH(io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1})
                        .run([&](io::lab::virtual_rank const& world) {
                          auto f = open_at(files);
                          if (world.rank() == 1) world.barrier();
                          f.lock(0, 8, io::extend::lock_kind::exclusive);
                          world.barrier();
                          world.barrier();
                        }),
                    ContainsSubstring("lock of 'f' in the simulated GPFS"));
  // The next run finds all files closed and unlocked.
  io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1})
      .run([&](io::lab::virtual_rank const&) {
        auto f = open_at(files);
        CHECK_FALSE(f.lock(0, 8, io::extend::lock_kind::shared));
      });
}

TEST_CASE("traffic writes down which node takes tokens from which, and draws it",
          "[virtual_gpfs]") {
  using kind = gpfs::traffic::kind;
  io::lab::virtual_gpfs const files(small(), 3);
  int others = 0;
  files.system().on_delivery = [&](gpfs::detail::message const&, gpfs::detail::instant) {
    ++others;
  };
  {
    gpfs::traffic const seen(files.system());
    io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1, .seed = 3})
        .run([&](io::lab::virtual_rank const& world) {
          auto f = open_at(files);
          for (int turn = 0; turn < 3; ++turn) {
            if (turn == world.rank()) CHECK(f.write(100 * turn, filled(100, 1)).bytes == 100);
            world.barrier();
          }
          CHECK_FALSE(f.close());
        });
    CHECK(seen.count(kind::grant) == 3);
    CHECK(seen.count(kind::revocation) == files.counters().revokes_sent);
    std::vector<std::pair<int, int>> taken;
    for (gpfs::traffic::event const& e : seen.events())
      if (e.what == kind::revocation) taken.emplace_back(e.from, e.to);
    CHECK(taken == std::vector<std::pair<int, int>>{{1, 0}, {2, 1}});
    std::string const picture = seen.draw("one block", 2 * seen.seconds());
    CHECK_THAT(picture, ContainsSubstring("3 tokens given (ticks), 2 taken away") &&
                            ContainsSubstring("node 2"));
  }
  CHECK(others > 0);
  int const before = others;
  CHECK(files.content("f").size() == 300);
  std::error_code error;
  auto f = files.open("f", create, error);
  CHECK(others > before);  // the observer from before the run observes again
}

TEST_CASE("directives of all ranks: partitioned, no token moves", "[virtual_gpfs][partitioning]") {
  io::lab::virtual_gpfs files(small(), 4);
  std::int64_t before = 0, after = 0;
  io::lab::virtual_cluster({.ranks = 8, .ranks_per_node = 2, .seed = 4})
      .run([&](io::lab::virtual_rank const& world) {
        auto f = open_at(files);
        auto start = io::test::ship_start(8);
        CHECK_FALSE(f.fcntl(start));
        world.barrier();
        before = files.counters().token_requests;
        for (int k = 0; k < 8; ++k) {
          CHECK(f.write(100 * (8 * k + world.rank()), filled(100, world.rank() + 1)).bytes == 100);
          world.barrier();
          bytes back(100);
          CHECK(f.read(100 * (8 * k + (world.rank() + 1) % 8), back).bytes == 100);
          CHECK(back == filled(100, (world.rank() + 1) % 8 + 1));
        }
        world.barrier();
        after = files.counters().token_requests;
        io::test::ship_stop stop;
        CHECK_FALSE(f.fcntl(stop));
        CHECK_FALSE(f.close());
      });
  CHECK(after == before);
  CHECK(files.counters().revokes_sent == 0);
  CHECK(files.counters().ships_sent > 0);
  CHECK(files.on_disk("f").size() == 6400);
}

TEST_CASE("a rank on a node that the file system does not have cannot open anything",
          "[virtual_gpfs]") {
  io::lab::virtual_gpfs const files(small(), 1);
  CHECK_THROWS_WITH(io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1})
                        .run([&](io::lab::virtual_rank const&) { open_at(files); }),
                    ContainsSubstring("rank 1 is on node 1, but there are 1 nodes"));
}

TEST_CASE("simulated files are removed by their identity, and others keep their names",
          "[virtual_gpfs][names]") {
  io::lab::virtual_gpfs const gpfs(small(), 1);
  io::lab::virtual_files const disk;
  for (io::opener const& files : {gpfs.opener(), disk.opener()}) {
    std::error_code error;
    io::extend::any_handle first = files("f", create, error);
    REQUIRE(first.identity());
    io::extend::file_identity const of_first = *first.identity();
    REQUIRE(files.finds());
    CHECK(io::detail::same_file(*files.find("f", error), of_first));
    CHECK_FALSE(files.rename("f", "g", of_first));
    CHECK_FALSE(files.find("f", error));
    CHECK(errno_of(error) == ENOENT);
    io::extend::any_handle second = files("f", create, error);
    REQUIRE(second.identity());
    CHECK_FALSE(io::detail::same_file(*second.identity(), of_first));
    CHECK(errno_of(files.remove("f", of_first)) == ENOENT);
    CHECK(errno_of(files.rename("f", "h", of_first)) == ENOENT);
    CHECK_FALSE(files.remove("g", of_first));
    CHECK_FALSE(files.remove("f", second.identity()));
    CHECK(errno_of(files.remove("f", second.identity())) == ENOENT);
    first.close();
    second.close();
  }
  CHECK(gpfs.names().empty());
  CHECK(disk.names().empty());
}
