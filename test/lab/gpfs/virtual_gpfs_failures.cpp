// Failures of the simulated GPFS in the virtual cluster: deaths of ranks and nodes, faults of ranks
// and of the system, slow servers.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <argosy/handle/fault_script.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

#include "lab/gpfs/virtual_gpfs_cases.hpp"
#include "support/catch.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("what a dead rank had open is closed by its node", "[virtual_gpfs][deaths]") {
  io::lab::virtual_gpfs const files(small(), 2);
  io::lab::scenario s{.ranks = 4, .ranks_per_node = 2, .seed = 1};
  s.deaths.push_back({.rank = 0, .operation = 4});  // after open, lock and write
  double waited = 0;
  io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
    auto f = open_at(files);
    if (world.rank() == 0) {
      f.lock(0, 100, io::extend::lock_kind::exclusive);
      f.write(0, filled(100, 7));
      f.unlock(0, 100);
    }
    if (world.rank() == 3) {
      world.compute(0.01);
      double const before = world.now();
      CHECK_FALSE(f.lock(0, 100, io::extend::lock_kind::exclusive));
      waited = world.now() - before;
      bytes back(100);
      CHECK(f.read(0, back).bytes == 100);  // the node is alive, and has the data
      CHECK(back == filled(100, 7));
    }
  });
  CHECK(waited < 0.01);
  CHECK(files.system().manager().counters().failed_nodes == 0);
}

TEST_CASE("a node of which all ranks are dead is lost: others wait for its lease",
          "[virtual_gpfs][deaths]") {
  io::lab::virtual_gpfs const files(small(), 2);
  io::lab::scenario s{.ranks = 4, .ranks_per_node = 2, .seed = 1};
  s.deaths.push_back({.rank = 0, .operation = 4});
  s.deaths.push_back({.rank = 1, .operation = 2});
  double waited = 0;
  io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
    auto f = open_at(files);
    if (world.rank() == 1) world.pause();
    if (world.rank() == 0) {
      f.write(0, filled(100, 7));
      f.sync();
      f.write(0, filled(100, 8));  // it dies before this begins, and holds the token
    }
    if (world.rank() == 3) {
      world.compute(0.1);
      double const before = world.now();
      CHECK(f.write(50, filled(100, 3)).bytes == 100);
      waited = world.now() - before;
      bytes back(150);
      CHECK(f.read(0, back).bytes == 150);
      CHECK(back[0] == std::byte{7});
      CHECK(back[50] == std::byte{3});
    }
  });
  CHECK(waited > 0.5);
  CHECK(waited < 1.1);
  CHECK(files.system().manager().counters().failed_nodes == 1);
  // In the next run, the node is still lost.
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2})
      .run([&](io::lab::virtual_rank const& world) {
        std::error_code error;
        auto const f = files.open("f", create, error);
        CHECK(errno_of(error) == (world.rank() < 2 ? ESTALE : 0));
      });
  CHECK(files.content("f").size() == 150);
}

TEST_CASE("a nonblocking call of a rank that dies is left alone by the system",
          "[virtual_gpfs][deaths]") {
  // The memory of the call has been freed when its data arrives.
  io::lab::virtual_gpfs files(small(), 2);
  files.put("f", filled(40 * B, 1));
  io::lab::scenario s{.ranks = 2, .ranks_per_node = 1, .seed = 1};
  s.deaths.push_back({.rank = 0, .operation = 4});
  io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
    auto f = std::make_shared<io::lab::virtual_gpfs_handle>(open_at(files));
    if (world.rank() == 1) return;
    auto const beside = world.make_background();
    beside->start([f] {
      bytes into(static_cast<std::size_t>(30 * B));
      f->read(0, into);
    });
    world.pause();
    world.pause();
  });
  CHECK(files.content("f").size() == static_cast<std::size_t>(40 * B));
}

TEST_CASE("the scenario's faults are those of a rank's calls", "[virtual_gpfs][faults]") {
  io::lab::virtual_gpfs const files(small(), 1);
  io::lab::scenario s{.ranks = 2};
  s.faults.push_back({1, io::fail_at(io::file_call::write, 2, std::errc::io_error)});
  s.faults.push_back({1, io::interrupt_at(io::file_call::read, 1, 3)});
  s.faults.push_back({0, io::delay_at(io::file_call::sync, 1, std::chrono::seconds(1))});
  io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
    std::error_code error;
    auto f = files.opener()("f", create, error);
    int const me = world.rank();
    CHECK_FALSE(f.write(10 * me, filled(10, 1)).error);
    CHECK(errno_of(f.write(10 * me, filled(10, 2)).error) == (me == 1 ? EIO : 0));
    bytes back(10);
    CHECK(f.read(10 * me, back).bytes == 10);
    CHECK(back == filled(10, 2 - me));
    double const before = world.now();
    CHECK_FALSE(f.sync());
    CHECK((world.now() - before >= 1) == (me == 0));
  });
}

TEST_CASE("a server that cannot write: the error reaches the rank which wrote, once",
          "[virtual_gpfs][faults]") {
  auto troubles = gpfs::parse_troubles("fault=server:-1,call:write,times:1,error:EREMOTEIO");
  SECTION("on revocation") {}
  SECTION("later") { troubles.faults[0].first = 2; }
  bool const first = troubles.faults[0].first == 1;
  io::lab::virtual_gpfs files(small(), 2, troubles);
  files.put("other", filled(10, 1));  // puts from outside meet no faults
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2, .seed = 2})
      .run([&](io::lab::virtual_rank const& world) {
        auto f = open_at(files);
        if (world.rank() == 0) CHECK(f.write(0, filled(100, 1)).bytes == 100);
        world.barrier();
        if (world.rank() == 2) {
          bytes back(100);
          CHECK(f.read(0, back).bytes == 100);
          CHECK(back == filled(100, first ? 0 : 1));  // lost, or not
        }
        world.barrier();
        CHECK(errno_of(f.sync()) == (world.rank() == 0 && first ? EREMOTEIO : 0));
        CHECK_FALSE(f.sync());
      });
}

TEST_CASE("bytes that are lost are seen by nobody, though the block has others that are not",
          "[virtual_gpfs][faults]") {
  // Rank 0 writes 50 bytes, whose write to disk fails. Meanwhile rank 1 of the same node writes the
  // next 50 bytes into the same block.
  io::lab::virtual_gpfs files(
      small(), 2, gpfs::parse_troubles("fault=server:-1,call:write,times:1,error:EREMOTEIO"));
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 2})
      .run([&](io::lab::virtual_rank const& world) {
        auto f = open_at(files);
        if (world.rank() == 0) CHECK(f.write(0, filled(50, 1)).bytes == 50);
        world.barrier();
        if (world.rank() == 0) CHECK(errno_of(f.sync()) == EREMOTEIO);
        if (world.rank() == 1) {
          world.compute(1e-4);
          CHECK(f.write(50, filled(50, 2)).bytes == 50);
        }
        world.barrier();
        for (int turn = 0; turn < 3; ++turn) {
          if (world.rank() == turn) {
            bytes back(100, std::byte{9});
            CHECK(f.read(0, back).bytes == 100);
            CHECK(back[0] == std::byte{});
            CHECK(back[50] == std::byte{2});
          }
          world.barrier();
        }
      });
  CHECK(files.content("f")[0] == std::byte{});
  CHECK(files.content("f")[99] == std::byte{2});
}

TEST_CASE("slow servers and late messages take longer", "[virtual_gpfs]") {
  auto const seconds = [](gpfs::troubles const& t) {
    io::lab::virtual_gpfs const files(small(), 2, t);
    return io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1})
        .run([&](io::lab::virtual_rank const& world) {
          auto f = open_at(files);
          f.write(20 * B * world.rank(), filled(20 * B, 1));
          f.sync();
          f.close();
        })
        .seconds;
  };
  double const usual = seconds({});
  CHECK(seconds(gpfs::parse_troubles("slow=1:10")) > 5 * usual);
  CHECK(seconds(gpfs::parse_troubles("seed=1 delay_ns=50000000")) > usual + 0.05);
}

TEST_CASE("troubles as text", "[gpfs]") {
  gpfs::troubles t{.seed = 7, .delay_max = std::chrono::nanoseconds(20)};
  t.faults = {{.server = 1, .of_writes = false, .first = 3, .times = 2, .error = ENOSPC}, {}};
  t.slow = {{0, 4.5}};
  CHECK(gpfs::to_string(t) ==
        "seed=7 delay_ns=20 fault=server:1,call:read,first:3,times:2,error:ENOSPC "
        "fault=server:-1,call:write,error:EIO "
        "slow=0:4.5");
  CHECK(gpfs::parse_troubles(gpfs::to_string(t)) == t);
  CHECK(gpfs::parse_troubles("") == gpfs::troubles{});
  CHECK_THROWS_WITH(gpfs::parse_troubles("speed=7"), ContainsSubstring("'speed=7'"));
  CHECK_THROWS_WITH(gpfs::parse_troubles("fault=call:sync"), ContainsSubstring("read or write"));
  CHECK_THROWS_WITH(gpfs::parse_troubles("fault=error:EHUH"),
                    ContainsSubstring("not the name of an errno"));
  CHECK_THROWS_WITH(gpfs::parse_troubles("seed=x"), ContainsSubstring("number"));
  t.faults.push_back({.error = 41});  // an errno without a name
  CHECK(gpfs::parse_troubles(gpfs::to_string(t)) == t);
  for (char const* bad : {"slow=0:nan", "slow=0:-1", "fault=error:0", "fault=first:0",
                          "fault=first:-9223372036854775808", "fault=times:-1", "delay_ns=-1",
                          "delay_ns=9223372036854775807"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(gpfs::parse_troubles(bad), std::invalid_argument);
  }
}
