// File partitioning: which node owns which blocks, what it serves, and when the mode ends.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <argosy/lab/gpfs/detail/partition_map.hpp>
#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

#include "lab/gpfs/gpfs_partitioning_cases.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;

TEST_CASE("the two published partition maps", "[gpfs][partitioning]") {
  struct row {
    int server;
    std::int64_t first, last;
  };
  struct {
    std::int64_t blocks_per_entry, cycle;
    std::vector<row> rows;
  } const maps[] = {
      {1,
       10,
       {{1, 0, 0},
        {2, 1, 1},
        {3, 2, 2},
        {3, 3, 3},
        {4, 4, 4},
        {5, 5, 5},
        {6, 6, 6},
        {7, 7, 7},
        {8, 8, 8},
        {8, 9, 9}}},
      {6, 24, {{4, 0, 5}, {3, 6, 11}, {3, 12, 17}, {4, 18, 23}}},
  };
  for (auto const& published : maps) {
    gpfs::detail::partition_map map{published.blocks_per_entry, {}};
    for (row const& r : published.rows) map.owners.push_back(r.server);
    for (std::int64_t turn = 0; turn < 3; ++turn)
      for (std::size_t k = 0; k < published.rows.size(); ++k)
        for (std::int64_t b = published.rows[k].first; b <= published.rows[k].last; ++b) {
          std::int64_t const block = turn * published.cycle + b;
          CAPTURE(block);
          CHECK(map.owner(block) == published.rows[k].server);
          CHECK(map.entry_of(block) == k);
          CHECK(map.entry_end(block) == turn * published.cycle + published.rows[k].last + 1);
        }
  }
}

TEST_CASE("the published maps at work: every block is read and written by its owner alone",
          "[gpfs][partitioning]") {
  for (auto const& [blocks, owners] : {std::pair(1, std::vector<int>{1, 2, 3, 3, 4, 5, 6, 7, 8, 8}),
                                       std::pair(6, std::vector<int>{4, 3, 3, 4})}) {
    cluster c(9);
    REQUIRE(c.start_with(owners, blocks) == same(9, 0));
    std::vector<std::int64_t> expected(9);
    for (int b = 0; b < 24; ++b) {
      REQUIRE(!c.write(0, b * B, B, b + 1));
      ++expected[static_cast<std::size_t>(
          owners[static_cast<std::size_t>(b / blocks) % owners.size()])];
    }
    for (int b = 0; b < 24; ++b) CHECK(c.read(5, b * B, 1)[0] == static_cast<std::byte>(b + 1));
    REQUIRE(c.stop_all(9) == same(9, 0));
    for (int n = 0; n < 9; ++n) {
      CHECK(c.count(n).block_writes == expected[static_cast<std::size_t>(n)]);
      CHECK(c.count(n).token_requests == 0);
      CHECK(c.count(n).revokes_received == 0);
    }
  }
}

TEST_CASE("writers of one block no longer take it from each other", "[gpfs][partitioning]") {
  cluster c(4);
  REQUIRE(c.start_all(4) == same(4, 0));
  for (int k = 0; k < 64; ++k)
    for (std::size_t n = 0; n < 4; ++n)
      REQUIRE(!c.write(n, k * 64 + static_cast<int>(n) * 16, 16, static_cast<int>(n) + 1));
  for (int n = 0; n < 4; ++n) {
    CHECK(c.count(n).token_messages() == 0);
    CHECK(c.count(n).revoke_flushes == 0);
    CHECK(c.count(n).merge_reads == 0);
    CHECK(c.count(n).ships_sent == 48);  // three of four of the 64 calls are for other owners
    CHECK(c.count(n).ship_bytes == 48 * 16);
  }
  REQUIRE(c.stop_all(4) == same(4, 0));
  CHECK(c.host.client(0).cached_blocks() == 0);
  for (int n = 0; n < 4; ++n) CHECK(c.count(n).block_writes == 1);
  auto const all = c.read(2, 0, 4 * B);
  REQUIRE(all.size() == 4 * B);
  for (std::size_t k = 0; k < all.size(); ++k)
    REQUIRE(all[k] == static_cast<std::byte>(k / 16 % 4 + 1));
}

TEST_CASE("a call is split by owner", "[gpfs][partitioning]") {
  cluster c(3);
  REQUIRE(c.start_with({0, 1, 1, 2}, 2) == same(3, 0));  // blocks 0 1 | 2 3 | 4 5 | 6 7
  REQUIRE(!c.write(0, B, 7 * B));
  CHECK(c.count(0).ships_sent == 2);  // 2 to 5 in one piece, 6 and 7 in another
  CHECK(c.count(1).ships_received == 1);
  CHECK(c.count(2).ships_received == 1);
  CHECK(c.read(1, 0, 9 * B).size() == 8 * B);  // all nodes know the end of the file
}

TEST_CASE("outsiders read through the owners and cannot write", "[gpfs][partitioning]") {
  cluster c(2);
  REQUIRE(c.start_all(2) == same(2, 0));
  REQUIRE(!c.write(0, 0, 2 * B, 5));
  c.open(1);
  CHECK(c.write(2, 0, 10).value() == EPERM);
  CHECK(c.read(2, 0, 3 * B) == std::vector<std::byte>(2 * B, std::byte{5}));
  CHECK(c.files[2].resize(10).value() == EPERM);
  REQUIRE(c.stop_all(2) == same(2, 0));
  CHECK(!c.write(2, 0, 10));
}

TEST_CASE("the mode does not end before what is being served", "[gpfs][partitioning]") {
  gpfs::machine m = small();
  m.pagepool_bytes = 2 * B;
  cluster c(2, m);
  REQUIRE(c.start_all(2) == same(2, 0));
  c.open(0, false);  // a handle that takes no part
  REQUIRE(!c.write(1, B, B, 5));
  REQUIRE(!c.files[1].sync());
  // Another file fills the owner's pool for a while.
  std::error_code error;
  auto other = gpfs::loopback_file::open(c.host, 1, "g",
                                         {.read = true, .write = true, .create = true}, error);
  REQUIRE(!error);
  std::vector<std::byte> const many(40 * B, std::byte{1});
  gpfs::detail::call w = other.make(gpfs::detail::call_kind::write);
  w.from = many;
  auto const writes = other.start(w);
  while (c.count(1).pool_waits < 2) REQUIRE(c.host.step());
  std::vector<std::byte> got(B);
  gpfs::detail::call r = c.files[2].make(gpfs::detail::call_kind::read);
  r.offset = B;
  r.into = got;
  auto const reads = c.files[2].start(r);
  while (c.count(1).ships_received < 1) REQUIRE(c.host.step());
  CHECK(!c.host.done(reads));
  CHECK(c.stop_all(2) == same(2, 0));
  CHECK(c.host.done(reads));
  CHECK(c.host.wait(reads).value == B);
  CHECK(got == std::vector<std::byte>(B, std::byte{5}));
  CHECK(c.host.wait(writes).value == 40 * B);
  // The owner must not keep pages for which it has no token.
  REQUIRE(!c.write(0, B, B, 9));
  CHECK(c.read(1, B, B) == std::vector<std::byte>(B, std::byte{9}));
}

TEST_CASE("close counts as a stop that does not wait", "[gpfs][partitioning]") {
  cluster c(2);
  REQUIRE(c.start_all(2) == same(2, 0));
  REQUIRE(!c.write(0, 0, 2 * B));
  REQUIRE(!c.files[0].close());
  io::test::ship_stop s;
  CHECK(!c.files[1].fcntl(s));
  CHECK(c.read(1, 0, 2 * B).size() == 2 * B);
  CHECK(c.count(1).token_requests == 1);  // the one from before the mode
}

TEST_CASE("tokens are given up by start, and what is cached goes to disk", "[gpfs][partitioning]") {
  cluster c(2);
  REQUIRE(!c.write(0, 0, 2 * B, 1));
  REQUIRE(!c.write(0, 2 * B, 10, 2));
  REQUIRE(c.start_all(2) == same(2, 0));
  CHECK(c.host.client(0).token(0, 0) == gpfs::detail::token_mode::none);
  CHECK(c.host.client(0).cached_blocks() == 0);
  CHECK(c.host.manager().token_count(0) == 0);
  CHECK(c.read(1, 2 * B, B) == std::vector<std::byte>(10, std::byte{2}));
}

TEST_CASE("who owns all of a file is asked in pieces that fit", "[gpfs][partitioning]") {
  gpfs::detail::client_node node(0, small());
  gpfs::detail::outbox out;
  auto const from_manager = [&](gpfs::detail::message_body body) {
    node.receive(
        {{gpfs::detail::role::manager, 0}, {gpfs::detail::role::client, 0}, std::move(body)}, {},
        out);
  };
  gpfs::detail::call open;
  open.kind = gpfs::detail::call_kind::open;
  open.path = "f";
  node.submit(open, {}, out);
  std::int64_t const most = gpfs::detail::ship_call::longest;
  gpfs::detail::known_size const size{3 * most, 0};
  from_manager(gpfs::detail::open_answer{
      std::get<gpfs::detail::open_request>(out.messages.at(0).what.body).call, 0, 0, size});
  gpfs::detail::call c;
  c.instance = static_cast<int>(out.completions.at(0).value);
  from_manager(gpfs::detail::ship_begin{0, 1, {std::int64_t{1} << 40, {1}}});
  from_manager(gpfs::detail::ship_go{0, 1, size});
  std::vector<std::byte> memory(static_cast<std::size_t>(2 * most + 100));
  c.into = memory;
  out = {};
  node.submit(c, {}, out);
  std::int64_t at = 0;
  for (auto const& m : out.messages) {
    auto const& piece = std::get<gpfs::detail::ship_call>(m.what.body);
    CHECK(piece.length <= most);
    CHECK(piece.offset == at);
    at += piece.length;
  }
  CHECK(at == 2 * most + 100);
}
