// Locks of virtual files: no two ranks hold what excludes each other, and no rank waits for a lock
// that the others have given back.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <argosy/handle/handle.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "support/catch.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using io::extend::lock_kind;

namespace {

constexpr int file_bytes = 64;

io::extend::any_handle open_file(io::lab::virtual_files const& files) {
  std::error_code error;
  auto h = files.opener()("f", {.read = true, .write = true, .create = true}, error);
  REQUIRE_FALSE(error);
  return h;
}

// Which ranks hold each byte, as the callers of lock and unlock see it.
struct holders {
  std::array<std::set<int>, file_bytes> shared, exclusive;

  void take(int rank, int begin, int end, lock_kind kind) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      give_back(rank, static_cast<int>(i), static_cast<int>(i) + 1);
      REQUIRE(exclusive[i].empty());
      if (kind == lock_kind::exclusive) REQUIRE(shared[i].empty());
      (kind == lock_kind::exclusive ? exclusive : shared)[i].insert(rank);
    }
  }
  void give_back(int rank, int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      shared[i].erase(rank);
      exclusive[i].erase(rank);
    }
  }
};

}  // namespace

TEST_CASE("random locks of virtual ranks: none excludes another, and all ranks end",
          "[virtual][handle]") {
  std::uint64_t const seed = io::test::seed();
  CAPTURE(seed);
  io::lab::virtual_files const files;
  holders held;
  io::lab::virtual_cluster({.ranks = 24, .ranks_per_node = 3, .seed = seed})
      .run([&](io::lab::virtual_rank const& world) {
        std::mt19937_64 random(seed + static_cast<std::uint64_t>(world.rank()));
        auto const below = [&](int n) {
          return static_cast<int>(random() % static_cast<unsigned>(n));
        };
        auto h = open_file(files);
        for (int round = 0; round < 60; ++round) {
          int const begin = below(file_bytes), end = begin + 1 + below(file_bytes - begin);
          auto const kind = below(2) == 0 ? lock_kind::shared : lock_kind::exclusive;
          REQUIRE_FALSE(h.lock(begin, end - begin, kind));
          held.take(world.rank(), begin, end, kind);
          world.compute(1e-6 * below(20));
          int const part = begin + below(end - begin), part_end = part + 1 + below(end - part);
          if (below(3) == 0) {  // a weaker lock on a part never waits
            held.take(world.rank(), part, part_end, lock_kind::shared);
            REQUIRE_FALSE(h.lock(part, part_end - part, lock_kind::shared));
            world.compute(1e-6 * below(20));
          }
          if (below(3) == 0) {
            held.give_back(world.rank(), part, part_end);
            REQUIRE_FALSE(h.unlock(part, part_end - part));
            world.compute(1e-6 * below(20));
          }
          held.give_back(world.rank(), begin, end);
          REQUIRE_FALSE(h.unlock(begin, end - begin));
        }
      });
}

TEST_CASE("who makes a virtual lock weaker lets those in who wait for that", "[virtual][handle]") {
  io::lab::virtual_files const files;
  double got = 0;
  io::lab::virtual_cluster({.ranks = 2}).run([&](io::lab::virtual_rank const& world) {
    auto h = open_file(files);
    if (world.rank() == 0) {
      REQUIRE_FALSE(h.lock(0, 10, lock_kind::exclusive));
      world.compute(1);
      REQUIRE_FALSE(h.lock(0, 10, lock_kind::shared));
      world.compute(1);
      REQUIRE_FALSE(h.unlock(0, 10));
    } else {
      world.compute(0.5);
      REQUIRE_FALSE(h.lock(5, 1, lock_kind::shared));
      got = world.now();
      REQUIRE_FALSE(h.unlock(5, 1));
    }
  });
  CHECK(got > 1);
  CHECK(got < 1.5);
}
