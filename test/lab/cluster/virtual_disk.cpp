// Handles of the virtual cluster: calls, locks, crashes, and their cost.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/virtual_files.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

#include "lab/cluster/virtual_files_cases.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using namespace io::test;

TEST_CASE("virtual files open and fail as those of POSIX", "[virtual][handle]") {
  io::lab::virtual_files files({.capacity_bytes = 5 * 4096});
  io::opener const open = files.opener();
  std::error_code e;
  CHECK_FALSE(open("a", {.read = true}, e).is_open());
  CHECK(errno_of(e) == ENOENT);
  open("a", {}, e);
  CHECK(errno_of(e) == EINVAL);
  io::extend::any_handle a =
      open("a", {.read = true, .write = true, .create = true, .exclusive = true}, e);
  CHECK_FALSE(e);
  open("a", {.read = true, .write = true, .create = true, .exclusive = true}, e);
  CHECK(errno_of(e) == EEXIST);
  files.make_directory("d");
  open("d", {.read = true}, e);
  CHECK(errno_of(e) == EISDIR);
  files.set_permissions("a", 0400);
  open("a", {.write = true}, e);
  CHECK(errno_of(e) == EACCES);
  CHECK(open("a", {.read = true}, e).is_open());
  files.set_permissions("a", 0600);
  files.set_read_only(true);
  open("a", {.write = true}, e);
  CHECK(errno_of(e) == EROFS);
  open("new", {.write = true, .create = true}, e);
  CHECK(errno_of(e) == EROFS);
  CHECK(errno_of(open.remove("a")) == EROFS);
  files.set_read_only(false);

  // Holes take no room, and read as zeros. Then the disk fills up.
  CHECK(a.write(1'000'000, filled(100, 1)).bytes == 100);
  CHECK(a.size(e) == 1'000'100);
  bytes some(200, std::byte{7});
  CHECK(a.read(999'900, some).bytes == 200);
  CHECK(std::count(some.begin(), some.end(), std::byte{0}) == 100);
  CHECK(a.read(1'000'050, some).bytes == 50);
  CHECK(a.read(2'000'000, some).bytes == 0);
  CHECK(files.allocated_bytes() == 4096);
  auto const full = a.write(100, filled(6 * 4096, 2));
  CHECK(full.bytes == 4 * 4096 - 100);
  CHECK(errno_of(full.error) == ENOSPC);
  CHECK(a.write(0, filled(4096, 3)).bytes == 4096);  // already has a block
  CHECK(errno_of(a.preallocate(9 * 4096)) == ENOSPC);
  CHECK_FALSE(a.resize(10));
  CHECK(a.size(e) == 10);
  CHECK(files.allocated_bytes() == 4096);
  CHECK_FALSE(a.resize(100));
  CHECK(files.content("a") == [] {
    auto b = filled(100, 0);
    std::fill_n(b.begin(), 10, std::byte{3});
    return b;
  }());
  CHECK_FALSE(a.preallocate(5 * 4096));
  CHECK_FALSE(a.close());
  CHECK(errno_of(a.close()) == EBADF);
  CHECK_FALSE(open.remove("a"));
  CHECK(errno_of(open.remove("a")) == ENOENT);
  CHECK(files.allocated_bytes() == 0);
  CHECK(files.names().empty());
}

TEST_CASE("servers, stripes and adapters take time", "[virtual][handle]") {
  auto const took = [](int ranks, int servers, std::int64_t piece) {
    io::lab::virtual_files files({.servers = servers, .stripe_bytes = 1 << 16});
    return io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1})
        .run([&](io::lab::virtual_rank const& world) {
          std::error_code e;
          io::extend::any_handle f =
              files.opener()("f", {.read = true, .write = true, .create = true}, e);
          constexpr std::int64_t each = 1 << 20;
          for (std::int64_t done = 0; done < each; done += piece)
            f.write(world.rank() * each + done, filled(static_cast<std::size_t>(piece), 1));
        })
        .seconds;
  };
  CHECK(took(1, 1, 1 << 20) > 1e-3);
  CHECK(took(1, 1, 1 << 20) < 2e-3);
  CHECK(took(4, 1, 1 << 20) > 4e-3);
  CHECK(took(4, 4, 1 << 20) < 2e-3);
  CHECK(took(1, 1, 1 << 10) > took(1, 1, 1 << 20));
}

TEST_CASE("the middle of a lock may be given back", "[virtual][handle]") {
  io::lab::virtual_files const files;
  constexpr double late = 1e-3;
  io::lab::virtual_cluster({.ranks = 2, .seed = seed()})
      .run([&](io::lab::virtual_rank const& world) {
        std::error_code e;
        io::extend::any_handle f =
            files.opener()("f", {.read = true, .write = true, .create = true}, e);
        auto const told = [&](std::int64_t offset, std::int64_t bytes) {
          CHECK_FALSE(f.lock(offset, bytes, io::extend::lock_kind::exclusive));
          double const at = world.now();
          CHECK_FALSE(f.unlock(offset, bytes));
          return at;
        };
        for (std::int64_t const still : {0, 39, 60, 99}) {
          if (world.rank() == 0) {
            CHECK_FALSE(f.lock(0, 100, io::extend::lock_kind::exclusive));
            CHECK_FALSE(f.unlock(40, 20));
          }
          world.barrier();
          double const begin = world.now();
          if (world.rank() == 0) {
            world.compute(late);
            CHECK_FALSE(f.unlock(0, 100));
          } else {
            CHECK(told(40, 20) - begin < late / 2);
            CHECK(told(still, 1) - begin > late / 2);
          }
          world.barrier();
        }
        CHECK_FALSE(f.close());
      });
}

TEST_CASE("what does not fit on the disk cannot be put there", "[virtual][handle]") {
  io::lab::virtual_files files({.capacity_bytes = 2 * 4096});
  files.put("f", filled(2 * 4096, 1));
  CHECK_THROWS_AS(files.put("g", filled(1, 1)), std::length_error);
  files.put("f", filled(4096, 2));  // replacing the file makes room
  files.put("g", filled(4096, 3));
  CHECK_THROWS_AS(files.put("g", filled(4097, 4)), std::length_error);
}

TEST_CASE("a lock is waited for in virtual time", "[virtual][handle]") {
  io::lab::virtual_files const files;
  int count = 0, inside = 0;
  io::lab::virtual_cluster({.ranks = 20, .seed = seed()})
      .run([&](io::lab::virtual_rank const& world) {
        std::error_code e;
        io::extend::any_handle f =
            files.opener()("f", {.read = true, .write = true, .create = true}, e);
        for (int i = 0; i < 5; ++i) {
          CHECK_FALSE(f.lock(10, 10, io::extend::lock_kind::exclusive));
          CHECK(++inside == 1);
          world.compute(1e-4);
          world.pause();
          ++count;
          --inside;
          CHECK_FALSE(f.unlock(10, 10));
        }
        // Readers share a lock. A rank may convert parts of its own lock.
        CHECK_FALSE(f.lock(10, 10, io::extend::lock_kind::shared));
        world.barrier();
        CHECK_FALSE(f.lock(1000 * world.rank(), 10, io::extend::lock_kind::exclusive));
        CHECK_FALSE(f.unlock(0, INT64_MAX));
        if (world.rank() == 3) CHECK_FALSE(f.lock(0, 1 << 20, io::extend::lock_kind::exclusive));
        CHECK_FALSE(f.close());  // releases the other locks
      });
  CHECK(count == 100);

  try {
    io::lab::virtual_cluster({.ranks = 2}).run([&](io::lab::virtual_rank const& world) {
      std::error_code e;
      io::extend::any_handle f =
          files.opener()("f", {.read = true, .write = true, .create = true}, e);
      int const mine = world.rank();
      f.lock(100 * mine, 10, io::extend::lock_kind::exclusive);
      world.barrier();
      f.lock(100 * (1 - mine), 10, io::extend::lock_kind::exclusive);
    });
    FAIL("no deadlock");
  } catch (io::lab::virtual_run_error const& e) {
    CHECK_THAT(e.what(), ContainsSubstring("lock of bytes [100, 110) of 'f', held by rank 1"));
  }
  CHECK_FALSE(
      io::lab::virtual_files({.has_locks = false})
          .opener()("f", {.write = true, .create = true}, *std::make_unique<std::error_code>())
          .lock(0, 1, io::extend::lock_kind::shared) != io::errc::no_locks);
}

TEST_CASE("a crash keeps what was synced", "[virtual][handle]") {
  io::lab::virtual_files files;
  std::error_code e;
  io::extend::any_handle f = files.opener()("f", {.read = true, .write = true, .create = true}, e);
  std::size_t const size = 40 * 4096;
  f.write(0, filled(size, 1));
  f.sync();
  f.write(4096, filled(20 * 4096, 2));
  io::extend::any_handle g = files.opener()("g", {.write = true, .create = true}, e);
  g.write(0, filled(10, 9));
  bool seen_old = false, seen_new = false, seen_torn = false, seen_g = false, missed_g = false;
  for (std::uint64_t s = 0; s < 50; ++s) {
    io::lab::virtual_files const left = files.crash(s);
    bytes const now = left.content("f");
    REQUIRE(now.size() == size);
    CHECK(std::all_of(now.begin(), now.begin() + 4096,
                      [](std::byte b) { return b == std::byte{1}; }));
    CHECK(std::all_of(now.begin() + 21 * 4096, now.end(),
                      [](std::byte b) { return b == std::byte{1}; }));
    for (std::ptrdiff_t b = 1; b < 21; ++b) {
      auto const first = now.begin() + b * 4096, end = first + 4096;
      auto const twos = std::count(first, end, std::byte{2});
      CHECK(twos % 512 == 0);
      CHECK(std::all_of(first, first + twos, [](std::byte x) { return x == std::byte{2}; }));
      seen_new = seen_new || twos == 4096;
      seen_old = seen_old || twos == 0;
      seen_torn = seen_torn || (twos > 0 && twos < 4096);
    }
    (left.exists("g") ? seen_g : missed_g) = true;
    CHECK(files.crash(s).content("f") == now);
  }
  CHECK((seen_old && seen_new && seen_torn && seen_g && missed_g));
  files.set_permissions("f", 0400);
  files.crash(1).opener()("f", {.write = true}, e);
  CHECK(errno_of(e) == EACCES);
  f.sync();
  CHECK(files.crash(1).content("f") == files.content("f"));
}

TEST_CASE("what a node has not synced is not safe", "[virtual][handle]") {
  // Rank 0 writes the first four blocks and syncs. Rank 1 writes the last four and does not sync.
  // The size is safe.
  io::lab::virtual_files files;
  files.put("f", filled(6 * 4096, 0));
  io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1})
      .run([&](io::lab::virtual_rank const& world) {
        std::error_code e;
        io::extend::any_handle f = files.opener()("f", {.read = true, .write = true}, e);
        CHECK(f.write(world.rank() * 2 * 4096, filled(4 * 4096, 1)).bytes == 4 * 4096);
        world.barrier();
        if (world.rank() == 0) CHECK_FALSE(f.sync());
      });
  std::size_t lost = 0;
  for (std::uint64_t s = 0; s < 50; ++s) {
    bytes const now = files.crash(s).content("f");
    REQUIRE(now.size() == 6 * 4096);
    CHECK(std::all_of(now.begin(), now.begin() + 2 * 4096,
                      [](std::byte b) { return b == std::byte{1}; }));
    // Blocks that both ranks have written are not safe yet.
    lost += std::any_of(now.begin() + 2 * 4096, now.begin() + 4 * 4096,
                        [](std::byte b) { return b == std::byte{0}; });
    lost += std::any_of(now.begin() + 4 * 4096, now.end(),
                        [](std::byte b) { return b == std::byte{0}; });
  }
  CHECK(lost > 20);
}

TEST_CASE("a fault that no call came to is named in the report", "[virtual][handle][faults]") {
  io::lab::virtual_files const files;
  io::lab::scenario s{.ranks = 2};
  s.faults = {{1, io::fail_at(io::file_call::sync, 1, std::errc::io_error)},
              {0, io::fail_at(io::file_call::write, 2, std::errc::io_error)},
              {-1, io::fail_at(io::file_call::write, 1, std::errc::io_error)},
              {-1, io::fail_at(io::file_call::write, 7, std::errc::io_error)}};
  io::lab::virtual_report const r =
      io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
        std::error_code e;
        io::extend::any_handle f = files.opener()("f", {.write = true, .create = true}, e);
        f.write(0, filled(10, 1));
        if (world.rank() == 1) f.sync();
      });
  CHECK(r.did_not_happen == std::vector<std::string>{"fault=rank:0,call:write,first:2,error:EIO",
                                                     "fault=rank:-1,call:write,first:7,error:EIO"});
  CHECK_THAT(to_string(r), ContainsSubstring("2 faults did not happen: fault=rank:0,call:write"));
}
