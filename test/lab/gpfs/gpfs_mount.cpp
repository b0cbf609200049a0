// The simulated GPFS over sockets, with mounts in one process and in child processes.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/host.hpp>
#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>
#include <argosy/lab/gpfs/mount.hpp>

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "lab/gpfs/gpfs_mount_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace std::chrono_literals;
using namespace io::test;

TEST_CASE("what one node has written another one reads, and the file is there afterwards",
          "[gpfs][mount]") {
  cluster c(2);
  CHECK(c.mounts[1].node() == 1);
  CHECK(c.mounts[1].hardware() == small());
  c.write(0, 0, 3 * B, 1);
  c.write(1, B + 10, 20, 2);
  auto expected = filled(3 * B, 1);
  std::fill_n(expected.begin() + B + 10, 20, std::byte{2});
  CHECK(c.read(0, 0, 4 * B) == expected);
  CHECK(c.read(1, 0, 4 * B) == expected);
  CHECK(c.files[0].size(c.error) == 3 * B);
  CHECK_FALSE(c.files[1].resize(10 * B + 3));
  CHECK(c.files[0].size(c.error) == 10 * B + 3);
  for (auto& f : c.files) CHECK_FALSE(f.close());
  CHECK_FALSE(c.files[0].is_open());
  CHECK(c.files[0].write(0, expected).error == std::errc::bad_file_descriptor);

  CHECK(std::filesystem::file_size(c.dir / "f") == 10 * B + 3);
  std::string const content = io::test::content_of(c.dir / "f");
  CHECK(std::equal(expected.begin(), expected.end(), content.begin(),
                   [](std::byte a, char b) { return a == static_cast<std::byte>(b); }));
}

TEST_CASE("files that were there before have their bytes", "[gpfs][mount]") {
  cluster c(1);
  std::ofstream(c.dir / "old") << std::string(2500, 'x');
  auto f = c.open(0, "old");
  REQUIRE_FALSE(c.error);
  CHECK(f.size(c.error) == 2500);
  std::vector<std::byte> all(5000);
  CHECK(f.read(0, all).bytes == 2500);
  CHECK(all[2499] == std::byte{'x'});
  CHECK_FALSE(f.close());
  io::opener const files = c.mounts[0].files();
  CHECK_FALSE(files.remove("old"));
  CHECK_FALSE(std::filesystem::exists(c.dir / "old"));
  CHECK(files.remove("old") == std::errc::no_such_file_or_directory);
}

TEST_CASE("a mounted file is removed by its identity, while it is open", "[gpfs][mount][names]") {
  cluster c(2);
  io::opener const files = c.mounts[0].files();
  io::extend::open_flags const flags{.read = true, .write = true, .create = true};
  io::extend::any_handle first = files("mine", flags, c.error);
  REQUIRE(first.identity());
  CHECK(first.write(0, filled(10, 1)).bytes == 10);
  CHECK_FALSE(files.rename("mine", "renamed"));
  io::extend::any_handle second = files("mine", flags, c.error);
  CHECK(files.remove("mine", first.identity()) == std::errc::no_such_file_or_directory);
  CHECK(std::filesystem::exists(c.dir / "mine"));
  CHECK_FALSE(files.remove("renamed", first.identity()));
  CHECK_FALSE(files.remove("mine", second.identity()));
  CHECK_FALSE(first.close());
  CHECK_FALSE(second.close());
  CHECK_FALSE(std::filesystem::exists(c.dir / "mine"));
  CHECK_FALSE(std::filesystem::exists(c.dir / "renamed"));
}

TEST_CASE("files are renamed in the directory, whether somebody opened them or not",
          "[gpfs][mount]") {
  cluster c(2);
  io::opener const files = c.mounts[0].files();
  REQUIRE(files.renames());
  for (bool const from_known : {false, true})
    for (bool const to_known : {false, true}) {
      CAPTURE(from_known, to_known);
      std::ofstream(c.dir / "from") << "new";
      std::ofstream(c.dir / "to") << "former";
      if (from_known) CHECK_FALSE(c.open(1, "from").close());
      if (to_known) CHECK_FALSE(c.open(1, "to").close());
      CHECK_FALSE(files.rename("from", "to"));
      CHECK_FALSE(files.settle("to"));
      CHECK_FALSE(std::filesystem::exists(c.dir / "from"));
      CHECK(io::test::content_of(c.dir / "to") == "new");
      auto f = c.open(1, "to");
      CHECK(f.size(c.error) == 3);
      std::vector<std::byte> back(3);
      CHECK(f.read(0, back).bytes == 3);
      CHECK(back[0] == std::byte{'n'});
      CHECK_FALSE(f.close());
      CHECK_FALSE(files.remove("to"));
    }
  CHECK(files.rename("from", "to") == std::errc::no_such_file_or_directory);
  CHECK(files.rename("from", "../to") == std::errc::permission_denied);
}

TEST_CASE("opening says why not", "[gpfs][mount]") {
  cluster c(1);
  io::opener const files = c.mounts[0].files();
  auto const opens = [&](std::string const& name, io::extend::open_flags flags) {
    std::error_code error;
    files(name, flags, error);
    return error;
  };
  CHECK(opens("nowhere", {.read = true}) == std::errc::no_such_file_or_directory);
  CHECK(opens("f", {.write = true, .create = true, .exclusive = true}) == std::errc::file_exists);
  std::ofstream(c.dir / "there") << "x";
  CHECK(opens("there", {.write = true, .create = true, .exclusive = true}) ==
        std::errc::file_exists);
  CHECK(opens("../outside", {.write = true, .create = true}) == std::errc::permission_denied);
  CHECK(opens("a/../../outside", {.write = true, .create = true}) == std::errc::permission_denied);
  CHECK(opens("/tmp/outside", {.write = true, .create = true}) == std::errc::permission_denied);
  CHECK(opens("no/such/directory", {.write = true, .create = true}) ==
        std::errc::no_such_file_or_directory);
  CHECK(opens("", {.read = true}) == std::errc::permission_denied);
  CHECK_FALSE(opens("new", {.write = true, .create = true, .exclusive = true}));
}

TEST_CASE("two writers in one block: the messages are those of the simulation", "[gpfs][mount]") {
  cluster c(2);
  gpfs::loopback simulated(small(), 2);
  std::vector<gpfs::loopback_file> twins;
  std::error_code error;
  for (int n = 0; n < 2; ++n)
    twins.push_back(gpfs::loopback_file::open(
        simulated, n, "f", {.read = true, .write = true, .create = true}, error));
  int const rounds = 10;
  for (int r = 0; r < rounds; ++r)
    for (int n = 0; n < 2; ++n) {
      c.write(n, 512 * n + r, 1);
      twins[static_cast<std::size_t>(n)].write(512 * n + r, filled(1, 7));
    }
  // Each write but the first finds the other node with the token and a dirty block.
  CHECK(c.count(0).token_messages() == 2 + 6 * (rounds - 1));
  CHECK(c.count(1).token_messages() == 6 * rounds);
  CHECK(c.count(0).revoke_flushes == rounds);
  CHECK(c.count(1).revoke_flushes == rounds - 1);
  for (int n = 0; n < 2; ++n) {
    auto const mine = c.count(n), twin = simulated.client(n).counters();
    CHECK(mine.calls == twin.calls);
    CHECK(mine.token_messages() == twin.token_messages());
    CHECK(mine.revokes_sent == twin.revokes_sent);
    CHECK(mine.revokes_received == twin.revokes_received);
    CHECK(mine.revoke_flushes == twin.revoke_flushes);
    CHECK(mine.block_reads == twin.block_reads);
    CHECK(mine.block_writes == twin.block_writes);
    CHECK(mine.merge_reads == twin.merge_reads);
  }
  CHECK(c.host->manager().conflicts == simulated.manager().counters().conflicts);
  CHECK(c.host->manager().grants == simulated.manager().counters().grants);
  CHECK(c.host->servers().writes == 2 * rounds - 1);
}

TEST_CASE("several threads of a node, several nodes, one file", "[gpfs][mount]") {
  cluster c(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  std::int64_t const record = 100, each = 60;
  for (int n = 0; n < 3; ++n)
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&, n, t] {
        for (std::int64_t i = 0; i < each; ++i) {
          std::int64_t const at = ((i * 3 + n) * 2 + t) * record;
          auto const bytes = filled(record, static_cast<int>(i * 6 + n * 2 + t));
          if (c.files[static_cast<std::size_t>(n)].write(at, bytes).bytes != record) ++wrong;
          std::vector<std::byte> back(record);
          if (c.files[static_cast<std::size_t>(n)].read(at, back).bytes != record || back != bytes)
            ++wrong;
        }
      });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  for (int n = 0; n < 3; ++n) {
    auto const all = c.read(n, 0, 6 * each * record);
    for (std::int64_t k = 0; k < 6 * each; ++k)
      for (std::int64_t b = 0; b < record; ++b)
        REQUIRE(all[static_cast<std::size_t>(k * record + b)] == static_cast<std::byte>(k));
  }
}

TEST_CASE("locks exclude threads and nodes", "[gpfs][mount]") {
  cluster c(2);
  REQUIRE_FALSE(c.files[0].lock(0, 10, io::extend::lock_kind::exclusive));
  std::atomic<bool> got{false};
  std::thread other([&] {
    c.files[1].lock(5, 10, io::extend::lock_kind::exclusive);
    got = true;
    c.files[1].unlock(5, 10);
  });
  std::thread sibling([&] {
    c.files[0].lock(5, 10, io::extend::lock_kind::shared);
    got = true;
    c.files[0].unlock(5, 10);
  });
  std::this_thread::sleep_for(30ms);
  CHECK_FALSE(got);
  CHECK_FALSE(c.files[0].unlock(0, 10));
  other.join();
  sibling.join();
  CHECK(got);
}

TEST_CASE("partitioned: no revocations, and the owners keep the blocks", "[gpfs][mount]") {
  cluster c(3);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::size_t n = 0; n < 3; ++n)
    threads.emplace_back([&, n] {
      auto start = io::test::ship_start(3);
      if (c.files[n].fcntl(start)) ++wrong;
      for (std::int64_t i = 0; i < 30; ++i) {
        std::int64_t const at = (i * 3 + static_cast<std::int64_t>(n)) * 100;
        if (c.files[n]
                .write(at, filled(100, static_cast<int>(i * 3) + static_cast<int>(n)))
                .bytes != 100)
          ++wrong;
      }
      io::test::ship_stop stop;
      if (c.files[n].fcntl(stop)) ++wrong;
    });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  for (int n = 0; n < 3; ++n) {
    CHECK(c.count(n).revokes_received == 0);
    CHECK(c.count(n).ships_sent > 0);
    auto const all = c.read(n, 0, 9000);
    REQUIRE(all.size() == 9000);
    for (std::size_t k = 0; k < 9000; ++k) REQUIRE(all[k] == static_cast<std::byte>(k / 100));
  }
}

TEST_CASE("who mounts later learns that a file is partitioned", "[gpfs][mount]") {
  cluster c(1);
  auto start = io::test::ship_start(1);
  REQUIRE_FALSE(c.files[0].fcntl(start));
  c.write(0, 0, 10, 5);
  std::error_code error;
  auto const late = gpfs::mount::to(c.host->address(), gpfs::mount::any_node, error);
  REQUIRE_FALSE(error);
  CHECK(late.node() == 1);
  auto f = gpfs::mounted_file::open(late, "f", {.read = true}, error);
  REQUIRE_FALSE(error);
  std::vector<std::byte> bytes(20);
  CHECK(f.read(0, bytes).bytes == 10);
  CHECK(bytes[9] == std::byte{5});
  CHECK(late.counters().ships_sent == 1);
  io::test::ship_stop stop;
  CHECK_FALSE(c.files[0].fcntl(stop));
  CHECK(f.read(0, bytes).bytes == 10);
}

TEST_CASE("a node that leaves gives everything back at once", "[gpfs][mount]") {
  gpfs::machine m = small();
  m.lease_s = 1000;
  cluster c(2, m);
  c.write(1, 0, 2 * B, 3);
  CHECK_FALSE(c.files[1].close());
  c.mounts[1].leave();
  CHECK(c.read(0, 0, 2 * B) == filled(2 * B, 3));
  c.write(0, 0, 2 * B, 4);
  CHECK(c.host->manager().failed_nodes == 0);
  std::error_code error;
  gpfs::mounted_file::open(c.mounts[1], "f", {.read = true}, error);
  CHECK(error.value() == ESTALE);
}
