// Byte-range tokens: which node gets which range, which node gives it up, and the number of
// messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include <boost/pfr.hpp>

#include <argosy/lab/gpfs/loopback.hpp>

#include "lab/gpfs/gpfs_tokens_cases.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;
using gpfs::detail::token_mode;

TEST_CASE("all counters of a node are named", "[gpfs]") {
  gpfs::client_counters const all;
  std::vector<std::int64_t const*> named;
  gpfs::for_each_client_counter(
      all, [&](char const*, std::int64_t const& one) { named.push_back(&one); });
  std::vector<std::int64_t const*> there;
  boost::pfr::for_each_field(all, [&](std::int64_t const& one) { there.push_back(&one); });
  std::ranges::sort(named);
  CHECK(named == there);
}

TEST_CASE("a first contact is one request and one grant, of whole blocks and no more",
          "[gpfs][tokens]") {
  cluster c(2);
  c.write(0, 100, 50);
  CHECK(c.count(0).token_messages() == 2);
  CHECK(c.token(0, 0) == token_mode::write);
  CHECK(c.token(0, 1) == token_mode::none);
  c.write(0, 900, 100);
  c.write(1, B, 10);  // the next block: no other node holds it
  CHECK(c.count(0).token_messages() == 2);
  CHECK(c.count(0).token_hits == 1);
  CHECK(c.count(1).token_messages() == 2);
  CHECK(c.host.manager().counters().conflicts == 0);
  CHECK(c.host.manager().token_count(0) == 2);
}

TEST_CASE("k holders in the way cost 2 + 2k + 2 messages", "[gpfs][tokens]") {
  for (int k = 1; k <= 5; ++k) {
    cluster c(k + 1);
    c.write(0, 0, B);
    for (int n = 1; n <= k; ++n) CHECK(c.read(static_cast<std::size_t>(n), 0, B) == B);
    // Node 0 still has a read token, as the others have.
    std::int64_t const before = c.count(0).token_messages();
    std::int64_t messages = 0;
    c.host.on_delivery = [&](gpfs::detail::message const& m, gpfs::detail::instant) {
      if (m.from.who != gpfs::detail::role::server && m.to.who != gpfs::detail::role::server)
        ++messages;
    };
    c.write(0, 0, 10);
    CHECK(c.count(0).token_messages() - before == 2 + 2 * k + 2);
    CHECK(messages == 2 + 2 * k + 2);
    for (int n = 1; n <= k; ++n) {
      CHECK(c.token(n, 0) == token_mode::none);
      CHECK(c.count(n).revokes_received == 1);
      CHECK(c.count(n).revoke_flushes == 0);  // only cached blocks are dropped
      CHECK(c.count(n).revoke_drops == 1);
    }
  }
}

TEST_CASE("two writers of different bytes of one block take it from each other every time",
          "[gpfs][tokens]") {
  cluster c(2);
  int const rounds = 10;
  for (int r = 0; r < rounds; ++r) {
    c.write(0, r, 1);
    c.write(1, 512 + r, 1);
  }
  // Each write but the first finds the other node with the token and a dirty block.
  CHECK(c.count(0).revokes_sent == rounds - 1);
  CHECK(c.count(1).revokes_sent == rounds);
  CHECK(c.count(0).revoke_flushes == rounds);
  CHECK(c.count(1).revoke_flushes == rounds - 1);
  CHECK(c.count(0).merge_reads == rounds - 1);  // the first block is new
  CHECK(c.count(1).merge_reads == rounds);
  CHECK(c.count(0).token_messages() == 2 + 6 * (rounds - 1));
  CHECK(c.count(1).token_messages() == 6 * rounds);
  CHECK(c.host.server(0).counters().writes + c.host.server(1).counters().writes == 2 * rounds - 1);
  std::vector<std::byte> all(512 + rounds);
  CHECK(c.files[0].read(0, all).bytes == 512 + rounds);
  CHECK(all[rounds - 1] == std::byte{7});
  CHECK(all[rounds] == std::byte{0});
  CHECK(all[512 + rounds - 1] == std::byte{7});
}

TEST_CASE("readers never revoke each other's tokens", "[gpfs][tokens]") {
  cluster c(4);
  c.write(0, 0, 8 * B);
  REQUIRE(!c.files[0].sync());
  REQUIRE(!c.files[0].close());
  for (int round = 0; round < 3; ++round)
    for (std::size_t n = 1; n < 4; ++n) CHECK(c.read(n, 0, 8 * B) == 8 * B);
  for (int n = 1; n < 4; ++n) {
    CHECK(c.count(n).revokes_sent == 0);
    CHECK(c.count(n).token_messages() == 2);
    CHECK(c.count(n).block_reads == 8);
  }
}

TEST_CASE("a reader leaves the writer a read token and its clean block", "[gpfs][tokens]") {
  cluster c(2);
  c.write(0, 0, 100);
  CHECK(c.host.client(0).dirty_blocks() == 1);
  CHECK(c.read(1, 0, B) == 100);
  CHECK(c.token(0, 0) == token_mode::read);
  CHECK(c.token(1, 0) == token_mode::read);
  CHECK(c.count(0).revoke_flushes == 1);
  CHECK(c.count(0).downgrades == 1);
  CHECK(c.host.client(0).cached_blocks() == 1);
  CHECK(c.host.client(0).dirty_blocks() == 0);
  std::int64_t const reads = c.count(0).block_reads;
  CHECK(c.read(0, 0, 100) == 100);  // still cached
  CHECK(c.count(0).block_reads == reads);
}

TEST_CASE("a sequential writer has everything from here on, and splits it when a newcomer arrives",
          "[gpfs][tokens]") {
  cluster c(2);
  for (std::int64_t b = 0; b < 4; ++b) c.write(0, b * B, B);
  // The second call begins where the first ended, so it gets everything from there to infinity.
  CHECK(c.count(0).token_requests == 2);
  CHECK(c.token(0, 1'000'000) == token_mode::write);

  SECTION("beyond it: the newcomer's side is given up") {
    c.write(1, 100 * B, 10);
    CHECK(c.token(0, 99) == token_mode::write);
    CHECK(c.token(0, 100) == token_mode::none);
    CHECK(c.token(0, 1'000'000) == token_mode::none);
    CHECK(c.token(1, 100) == token_mode::write);
    CHECK(c.token(1, 101) == token_mode::none);  // a single call desires no more than it requires
    std::int64_t const requests = c.count(0).token_requests;
    for (std::int64_t b = 4; b < 8; ++b) c.write(0, b * B, B);
    CHECK(c.count(0).token_requests == requests);
    // The newcomer's stream may have the rest, because no other node holds it now.
    c.write(1, 100 * B + 10, B);
    CHECK(c.token(1, 1'000'000) == token_mode::write);
    CHECK(c.count(1).revokes_sent == 1);
  }
  SECTION("before it: what lies behind is given up") {
    c.write(1, B, 10);
    CHECK(c.token(0, 0) == token_mode::write);  // from another grant, which is not in the way
    CHECK(c.token(0, 1) == token_mode::none);
    CHECK(c.token(0, 3) == token_mode::none);
    CHECK(c.token(0, 4) == token_mode::write);
    CHECK(c.token(0, 1'000'000) == token_mode::write);
  }
}

TEST_CASE("of a desired range only what is free is granted", "[gpfs][tokens]") {
  cluster c(3);
  c.write(1, 10 * B, 10);
  c.write(0, 0, B);
  c.write(0, B, B);
  CHECK(c.token(0, 9) == token_mode::write);
  CHECK(c.token(0, 10) == token_mode::none);
  CHECK(c.count(0).revokes_sent == 0);
  // A strided stream desires its next strides.
  for (std::int64_t k = 0; k < 3; ++k) c.write(2, (20 + 4 * k) * B, 10);
  CHECK(c.token(2, 28 + 4) == token_mode::write);
  CHECK(c.token(2, 28 + 4 * 16) == token_mode::write);
  CHECK(c.token(2, 28 + 4 * 16 + 1) == token_mode::none);
}

TEST_CASE("requests that conflict are served in the order of arrival", "[gpfs][tokens]") {
  cluster c(5);
  std::vector<std::byte> const data(10, std::byte{1});
  std::vector<gpfs::loopback::ticket> tickets;
  for (auto& f : c.files)
    for (int k = 0; k < 3; ++k) {
      gpfs::detail::call w = f.make(gpfs::detail::call_kind::write);
      w.offset = 10 * k;
      w.from = data;
      tickets.push_back(f.start(w));
    }
  std::vector<int> grants;
  c.host.on_delivery = [&](gpfs::detail::message const& m, gpfs::detail::instant) {
    if (std::holds_alternative<gpfs::detail::token_grant>(m.body)) grants.push_back(m.to.index);
  };
  for (auto const& t : tickets) CHECK(c.host.wait(t).error == 0);
  CHECK(grants == std::vector<int>{0, 1, 2, 3, 4});  // the tasks of a node share the token
  // The first node is served, the second asks the first, the other three wait.
  CHECK(c.host.manager().counters().waits == 3);
}

TEST_CASE("a token cannot be stolen while a call is running on its blocks", "[gpfs][tokens]") {
  gpfs::machine m = small();
  m.pagepool_bytes = 2 * B;  // too few pages: the call needs the disk before it ends
  m.write_behind_max_blocks = 1;
  cluster c(2, m);
  std::vector<std::byte> const ones(20 * B, std::byte{1}), twos(20 * B, std::byte{2});
  gpfs::detail::call a = c.files[0].make(gpfs::detail::call_kind::write),
                     b = c.files[1].make(gpfs::detail::call_kind::write);
  a.from = ones;
  b.from = twos;
  auto const first = c.files[0].start(a), second = c.files[1].start(b);
  CHECK(c.host.wait(first).value == 20 * B);
  CHECK(c.host.wait(second).value == 20 * B);
  std::vector<std::byte> got(20 * B);
  CHECK(c.files[0].read(0, got).bytes == 20 * B);
  CHECK(std::all_of(got.begin(), got.end(), [&](std::byte x) { return x == got[0]; }));
}

TEST_CASE("free range gives tokens back, so nobody has to ask for them", "[gpfs][tokens][hints]") {
  cluster c(2);
  for (std::int64_t b = 0; b < 3; ++b) c.write(0, b * B, B);
  auto whole = io::test::free_range(0, 0);
  REQUIRE(!c.files[0].fcntl(whole));
  CHECK(c.token(0, 0) == token_mode::none);
  CHECK(c.host.client(0).cached_blocks() == 0);
  CHECK(c.host.client(0).dirty_blocks() == 0);
  c.host.run();
  CHECK(c.host.manager().token_count(0) == 0);
  CHECK(c.read(1, 0, 3 * B) == 3 * B);
  CHECK(c.count(1).revokes_sent == 0);
}

TEST_CASE("access range takes tokens at once", "[gpfs][tokens][hints]") {
  cluster c(2);
  auto mine = io::test::access_range(10 * B, 5 * B, true);
  REQUIRE(!c.files[0].fcntl(mine));
  CHECK(c.token(0, 10) == token_mode::write);
  CHECK(c.token(0, 14) == token_mode::write);
  CHECK(c.token(0, 15) == token_mode::none);
  c.write(0, 12 * B, 10);
  CHECK(c.count(0).token_requests == 1);
}

TEST_CASE("tokens of a dead node are free when its lease has run out", "[gpfs][tokens][failure]") {
  cluster c(3);
  c.write(0, 0, 10);
  c.write(1, 2 * B, 10);
  REQUIRE(!c.files[0].sync());
  std::vector<std::byte> const data(10, std::byte{9});
  gpfs::detail::instant const begin = c.host.now();

  SECTION("a holder") {
    c.host.kill(0);
    c.write(1, 0, 10);
    CHECK(c.host.now() - begin >= std::chrono::seconds(35));
    CHECK(c.host.manager().counters().failed_nodes == 1);
    CHECK(c.count(1).token_requests == 2);
  }
  SECTION("a requester that had begun to ask") {
    gpfs::detail::call w = c.files[2].make(gpfs::detail::call_kind::write);
    w.from = data;
    c.files[2].start(w);
    while (c.count(0).revokes_received == 0) REQUIRE(c.host.step());
    c.host.kill(2);
    c.write(1, 5, 10);  // waits behind the dead requester
    CHECK(c.host.now() - begin >= std::chrono::seconds(35));
  }
  SECTION("what it sends afterwards is refused by the servers") {
    c.host.kill(0);
    c.host.run();
    gpfs::detail::outbox out;
    auto const on_disk = c.host.on_disk("f");
    for (int s = 0; s < 2; ++s)
      for (gpfs::detail::message_body const& body :
           {gpfs::detail::message_body(gpfs::detail::block_write{1, 0, 0, {{0, data}}}),
            gpfs::detail::message_body(gpfs::detail::cut_blocks{1, 0, 0})})
        c.host.server(s).receive(
            {{gpfs::detail::role::client, 0}, {gpfs::detail::role::server, s}, body}, c.host.now(),
            out);
    REQUIRE(out.messages.size() == 4);
    for (auto const& o : out.messages) {
      if (auto const* const w = std::get_if<gpfs::detail::block_written>(&o.what.body))
        CHECK(w->error == ESTALE);
      if (auto const* const cut = std::get_if<gpfs::detail::blocks_cut>(&o.what.body))
        CHECK(cut->error == ESTALE);
    }
    CHECK(c.host.server(0).counters().refused == 1);
    CHECK(c.host.on_disk("f") == on_disk);
    CHECK(std::count(on_disk.begin(), on_disk.end(), std::byte{7}) == 10);
  }
}
