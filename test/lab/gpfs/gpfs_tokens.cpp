// Byte-range tokens: which node gets which range, which node gives it up, and the number of
// messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include <boost/pfr.hpp>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

#include "support/gpfs_hints.hpp"
#include "support/seed.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using gpfs::detail::token_mode;
using io::lab::gpfs::detail::token_map;

namespace {

constexpr std::int64_t B = 1024;

gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.pagepool_bytes = 64 * B;
  m.servers = 2;
  return m;
}

// Nodes with one open instance of the same file each.
struct cluster {
  explicit cluster(int nodes, gpfs::machine const& m = small()) : host(m, nodes) {
    std::error_code error;
    for (int n = 0; n < nodes; ++n) {
      files.push_back(gpfs::loopback_file::open(
          host, n, "f", {.read = true, .write = true, .create = true}, error));
      REQUIRE(!error);
    }
  }
  void write(std::size_t node, std::int64_t offset, std::int64_t length) {
    std::vector<std::byte> const data(static_cast<std::size_t>(length), std::byte{7});
    REQUIRE(files[node].write(offset, data).bytes == length);
  }
  std::int64_t read(std::size_t node, std::int64_t offset, std::int64_t length) {
    std::vector<std::byte> data(static_cast<std::size_t>(length));
    return files[node].read(offset, data).bytes;
  }
  gpfs::client_counters const& count(int node) { return host.client(node).counters(); }
  token_mode token(int node, std::int64_t block) {
    token_mode const held = host.client(node).token(0, block);
    // the manager may only believe that a node holds more
    CHECK(held <= host.manager().mode_of(0, node, block));
    return held;
  }

  gpfs::loopback host;
  std::vector<gpfs::loopback_file> files;
};

}  // namespace

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

TEST_CASE("a token map splits, joins and takes back only what it knew of", "[gpfs][tokens]") {
  token_map t;
  t.raise({0, gpfs::detail::no_end}, token_mode::write, 1);
  t.lower({4, 6}, token_mode::none, 1);
  t.lower({8, 10}, token_mode::read, 1);
  CHECK(t.size() == 4);
  CHECK(t.at(3) == token_mode::write);
  CHECK(t.at(4) == token_mode::none);
  CHECK(t.at(9) == token_mode::read);
  CHECK(t.covers({6, 10}, token_mode::read));
  CHECK(!t.covers({6, 10}, token_mode::write));
  CHECK(!t.covers({3, 5}, token_mode::read));
  CHECK(t.covers({10, gpfs::detail::no_end}, token_mode::write));
  t.raise({4, 5}, token_mode::read, 2);
  t.lower({0, gpfs::detail::no_end}, token_mode::none, 1);
  CHECK(t.size() == 1);
  CHECK(t.at(4) == token_mode::read);
  t.lower({0, gpfs::detail::no_end}, token_mode::none, 2);
  CHECK(t.empty());
}

TEST_CASE("a token map is what an array of blocks is", "[gpfs][tokens][random]") {
  constexpr std::int64_t blocks = 40;
  constexpr std::array modes{token_mode::none, token_mode::read, token_mode::write};
  struct entry {
    token_mode mode = token_mode::none;
    std::int64_t number = 0;
    bool operator==(entry const&) const = default;
  };
  std::mt19937_64 random(io::test::seed());
  auto const below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  token_map t;
  std::array<entry, blocks> plain;
  for (int step = 0; step < 2000; ++step) {
    std::int64_t const begin = below(blocks),
                       end = begin + below(std::min<std::int64_t>(12, blocks - begin) + 1);
    token_mode const mode = modes[static_cast<std::size_t>(below(3))];
    std::int64_t const number = step / 2 + below(3) - 1;
    bool const raises = below(2) == 0;
    raises ? t.raise({begin, end}, mode, number) : t.lower({begin, end}, mode, number);
    for (std::int64_t b = begin; b < end; ++b) {
      entry& e = plain[static_cast<std::size_t>(b)];
      if (raises)
        e = {std::max(e.mode, mode), std::max(e.number, number)};
      else if (e.number <= number)
        e.mode = std::min(e.mode, mode);
      if (e.mode == token_mode::none) e = {};
    }
    std::size_t stretches = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      entry const& e = plain[static_cast<std::size_t>(b)];
      CHECK(t.at(b) == e.mode);
      stretches +=
          e.mode != token_mode::none && (b == 0 || e != plain[static_cast<std::size_t>(b - 1)]);
    }
    CHECK(t.size() == stretches);
    std::int64_t const from = below(blocks), to = from + 1 + below(blocks - from);
    auto const all = [&](auto const& is) {
      return std::all_of(plain.begin() + from, plain.begin() + to,
                         [&](entry const& e) { return is(e.mode); });
    };
    for (token_mode const asked : {token_mode::read, token_mode::write}) {
      CHECK(t.covers({from, to}, asked) == all([&](token_mode m) { return m >= asked; }));
      CHECK((t.conflicting({from, to}, asked) == nullptr) ==
            all([&](token_mode m) { return !gpfs::detail::conflict(m, asked); }));
    }
  }
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

TEST_CASE("what is said of a file that nobody has opened leaves no trace",
          "[gpfs][tokens][errors]") {
  gpfs::machine m = small();
  m.ship_files_max = 1;
  gpfs::loopback host(m, 2);
  gpfs::detail::outbox out;
  gpfs::detail::known_size const far{100 * B, 7};
  auto const everything = [](gpfs::detail::file_id f, gpfs::detail::known_size size) {
    return std::vector<gpfs::detail::message_body>{
        gpfs::detail::close_notice{f, 1, size},
        gpfs::detail::token_request{1,
                                    f,
                                    token_mode::write,
                                    {0, 9},
                                    {0, 9},
                                    false,
                                    {{1, {0, 9}, token_mode::none, 1}},
                                    size},
        gpfs::detail::token_release{f, {0, 9}, 1, size},
        gpfs::detail::size_request{2, f},
        gpfs::detail::size_report{3, f, size},
        gpfs::detail::size_notice{4, f, size},
        gpfs::detail::resize_request{5, f, 100 * B},
        gpfs::detail::lock_request{6, f, 1, 1, 0, 10, true},
        gpfs::detail::unlock_notice{f, 1, 1, 0, 10},
        gpfs::detail::ship_start{7, f, 1, 2, {}},
        gpfs::detail::ship_ready{f, 0, 0, size},
        gpfs::detail::ship_stop{8, f, 1},
        gpfs::detail::ship_interrupt{f, 1},
    };
  };
  auto const say = [&](gpfs::detail::message_body const& body) {
    host.manager().receive(
        {{gpfs::detail::role::client, 1}, {gpfs::detail::role::manager, 0}, body}, host.now(), out);
  };
  for (gpfs::detail::file_id f = 0; f < 3; ++f)
    for (gpfs::detail::message_body const& body : everything(f, far)) say(body);
  CHECK(out.messages.empty());
  CHECK(out.timers.empty());

  std::error_code error;
  auto file =
      gpfs::loopback_file::open(host, 0, "f", {.read = true, .write = true, .create = true}, error);
  REQUIRE(!error);
  CHECK(file.size(error) == 0);
  std::vector<std::byte> const data(10, std::byte{7});
  CHECK(file.write(0, data).bytes == 10);
  CHECK(file.size(error) == 10);
  CHECK(host.manager().lock_count(0) == 0);
  // A node that has not opened the file cannot take part in partitioning either.
  say(gpfs::detail::ship_start{7, 0, 1, 1, {}});
  REQUIRE(out.messages.size() == 1);
  CHECK(std::get<gpfs::detail::ship_done>(out.messages[0].what.body).error == EINVAL);
  auto mine = io::test::ship_start(1);
  CHECK(!file.fcntl(mine));
  io::test::ship_stop end;
  CHECK(!file.fcntl(end));
  CHECK(!file.close());
}

TEST_CASE("while a file becomes partitioned tokens are refused, and a late start disturbs nobody",
          "[gpfs][tokens]") {
  gpfs::loopback host(small(), 2);
  gpfs::detail::outbox out;
  // Sends a message to the manager; `told` returns its answers of one kind.
  auto const say = [&](gpfs::detail::node_id from, gpfs::detail::message_body const& body) {
    out.messages.clear();
    host.manager().receive(
        {{gpfs::detail::role::client, from}, {gpfs::detail::role::manager, 0}, body}, host.now(),
        out);
  };
  auto const told = [&]<class Kind>(std::type_identity<Kind>) {
    std::vector<Kind> all;
    for (auto const& o : out.messages)
      if (auto const* const one = std::get_if<Kind>(&o.what.body)) all.push_back(*one);
    return all;
  };
  constexpr std::type_identity<gpfs::detail::token_refusal> refusals;
  constexpr std::type_identity<gpfs::detail::ship_done> ends;
  for (gpfs::detail::node_id const n : {0, 1})
    say(n, gpfs::detail::open_request{1, "f", 1, true, true, true});
  say(0, gpfs::detail::token_request{1, 0, token_mode::write, {0, 9}, {0, 9}, false, {}, {}});
  CHECK(told(std::type_identity<gpfs::detail::token_grant>()).size() == 1);
  gpfs::detail::token_request second{2, 0, token_mode::write, {0, 9}, {0, 9}, false, {}, {}};
  say(1, second);
  CHECK(told(std::type_identity<gpfs::detail::token_conflict>()).size() == 1);

  say(0, gpfs::detail::ship_start{7, 0, 1, 2, {}});
  say(1, gpfs::detail::ship_start{7, 0, 1, 2, {}});
  auto const begun = told(std::type_identity<gpfs::detail::ship_begin>());
  REQUIRE(begun.size() == 2);
  // the second node still asks another one, and is refused when it returns
  CHECK(told(refusals).empty());
  say(0, gpfs::detail::token_request{3, 0, token_mode::write, {20, 30}, {20, 30}, false, {}, {}});
  REQUIRE(told(refusals).size() == 1);
  CHECK(told(refusals)[0].request == 3);
  second.renewed = true;
  second.surrenders = {{0, {0, 9}, token_mode::none, 1}};
  say(1, second);
  REQUIRE(told(refusals).size() == 1);
  CHECK(told(refusals)[0].request == 2);

  for (gpfs::detail::node_id const n : {0, 1})
    say(n, gpfs::detail::ship_ready{0, begun[0].epoch, 0, {}});
  CHECK(told(ends).size() == 2);
  say(1, gpfs::detail::open_request{2, "f", 2, true});
  say(1, gpfs::detail::ship_start{8, 0, 2, 1, {}});
  REQUIRE(told(ends).size() == 1);
  CHECK((told(ends)[0].call == 8 && told(ends)[0].error == EINVAL));
  say(0, gpfs::detail::ship_stop{9, 0, 1});
  CHECK(told(ends).empty());
  say(1, gpfs::detail::ship_stop{9, 0, 1});
  CHECK(told(std::type_identity<gpfs::detail::ship_end>()).size() == 2);
}
