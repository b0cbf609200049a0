// Errors of file partitioning: who may begin and end it, and what the calls in between report.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>

#include "lab/gpfs/gpfs_partitioning_cases.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;

TEST_CASE("start: what fails, fails for all who wait", "[gpfs][partitioning][errors]") {
  using start = io::test::hint<gpfs::gpfsDataShipStart_t>;
  SECTION("numInstances differs") {
    cluster c(2);
    std::vector<start> a{io::test::ship_start(2), io::test::ship_start(3)};
    CHECK(c.all(a) == same(2, EINVAL));
    CHECK(a[0].header.errorOffset == 16);
    CHECK(c.start_all(2) == same(2, 0));  // the failed start has left no state
  }
  SECTION("maps differ") {
    cluster c(2);
    std::vector<io::test::ship_start_map> a{
        io::test::ship_start_with(2, B, std::vector<int>{0, 1}),
        io::test::ship_start_with(2, B, std::vector<int>{1, 0})};
    CHECK(c.all(a) == same(2, EINVAL));
  }
  SECTION("a listed node does not take part") {
    cluster c(3);
    REQUIRE(!c.files[2].close());
    std::vector<io::test::ship_start_map> a(
        2, io::test::ship_start_with(2, B, std::vector<int>{0, 2}));
    CHECK(c.all(a) == same(2, EINVAL));
  }
  SECTION("a partition that is not whole blocks, a map alone, no owner") {
    cluster c(1);
    auto odd = io::test::ship_start_with(1, B + 8, std::vector<int>{0});
    CHECK(c.files[0].fcntl(odd).value() == EINVAL);
    auto none = io::test::ship_start_with(1, B, std::vector<int>{});
    CHECK(c.files[0].fcntl(none).value() == EINVAL);
    io::test::hint<gpfs::gpfsDataShipMap_t> alone;
    CHECK(c.files[0].fcntl(alone).value() == EINVAL);
  }
  SECTION("an outsider has it open for writing") {
    cluster c(3);
    CHECK(c.start_all(2) == same(2, EPERM));
    REQUIRE(!c.files[2].close());
    c.files.pop_back();
    CHECK(c.start_all(2) == same(2, 0));
  }
  SECTION("already in the mode for others") {
    cluster c(2);
    REQUIRE(c.start_all(2) == same(2, 0));
    auto again = io::test::ship_start(1);
    CHECK(c.files[0].fcntl(again).value() == EINVAL);
  }
  SECTION("no room for one more partitioned file") {
    gpfs::machine m = small();
    m.ship_files_max = 0;
    cluster c(1, m);
    CHECK(c.start_all(1) == same(1, ENOMEM));
  }
  SECTION("a signal reaches one of them") {
    cluster c(3);
    auto a = io::test::ship_start(3), b = a;
    auto const first = c.start(0, a), second = c.start(1, b);
    c.host.run();
    c.host.interrupt(second);
    CHECK(c.host.wait(first).error == EINTR);
    CHECK(c.host.wait(second).error == EINTR);
    CHECK(!c.write(2, 0, 10));  // the mode was not entered
    CHECK(c.count(2).token_requests == 1);
  }
  SECTION("a participating node fails") {
    cluster c(3);
    auto a = io::test::ship_start(3), b = a;
    auto const first = c.start(0, a);
    c.start(1, b);
    c.host.run();
    c.host.kill(1);
    CHECK(c.host.wait(first).error == ESTALE);
  }
}

TEST_CASE("stop: what fails", "[gpfs][partitioning][errors]") {
  SECTION("not in the mode, not in the collective") {
    cluster c(2);
    CHECK(c.stop_all(1) == same(1, EINVAL));
    REQUIRE(c.start_all(2) == same(2, 0));
    c.open(0);
    io::test::ship_stop s;
    CHECK(c.files[2].fcntl(s).value() == EINVAL);
  }
  SECTION("a signal: the mode stays") {
    cluster c(2);
    REQUIRE(c.start_all(2) == same(2, 0));
    io::test::ship_stop s;
    auto const t = c.start(0, s);
    c.host.run();
    CHECK(!c.host.done(t));
    c.host.interrupt(t);
    CHECK(c.host.wait(t).error == EINTR);
    REQUIRE(!c.write(0, B, 10));
    CHECK(c.count(0).ships_sent == 1);
    CHECK(c.stop_all(2) == same(2, 0));
  }
  SECTION("the flush fails: all learn of it, and the writer at its next call") {
    cluster c(2);
    REQUIRE(c.start_all(2) == same(2, 0));
    REQUIRE(!c.write(0, B, 10));  // cached by node 1
    c.store->error = ENOSPC;
    CHECK(c.stop_all(2) == same(2, EIO));
    CHECK(c.write(0, 0, 10).value() == ENOSPC);
    c.store->error = 0;
    CHECK(!c.write(0, 0, 10));
    CHECK(!c.write(1, B, 10));  // node 1 itself has lost nothing
  }
  SECTION("an owner fails: what it kept for others is lost, and they are told") {
    cluster c(3);
    REQUIRE(c.start_all(3) == same(3, 0));
    REQUIRE(!c.write(0, B, 10));
    c.host.kill(1);
    CHECK(c.write(0, B + 20, 10).value() == ESTALE);
    std::vector<io::test::ship_stop> s(2);
    auto const first = c.start(0, s[0]), second = c.start(2, s[1]);
    CHECK(c.host.wait(first).error == ESTALE);
    CHECK(c.host.wait(second).error == ESTALE);
    CHECK(!c.write(0, B, 10));
  }
}

TEST_CASE("who waits for others to start or stop in vain does not wait for ever",
          "[gpfs][partitioning][errors]") {
  gpfs::machine m = small();
  m.ship_wait_s = 5;
  cluster c(3, m);
  auto begin = io::test::ship_start(3);
  auto const alone = c.start(0, begin);
  CHECK(c.host.wait(alone).error == ETIMEDOUT);
  CHECK(!c.write(0, 0, 10));
  REQUIRE(c.start_all(3) == same(3, 0));  // the failed start has left no state
  io::test::ship_stop end;
  auto const early = c.start(1, end);
  CHECK(c.host.wait(early).error == ETIMEDOUT);
  REQUIRE(!c.write(0, B, 10));  // the mode is still on
  REQUIRE(!c.write(1, 0, 10));
  CHECK(c.count(0).ships_sent == 1);
  CHECK(c.count(1).ships_sent == 1);
  CHECK(c.stop_all(3) == same(3, 0));
}

TEST_CASE("sync brings shipped data to disk, or says that it did not",
          "[gpfs][partitioning][errors]") {
  cluster c(2);
  REQUIRE(c.start_all(2) == same(2, 0));
  REQUIRE(!c.write(0, B, 10));
  CHECK(c.host.client(1).dirty_blocks() == 1);
  REQUIRE(!c.files[0].sync());
  CHECK(c.host.client(1).dirty_blocks() == 0);
  REQUIRE(!c.write(0, B, 10));
  c.store->error = EIO;
  CHECK(c.files[0].sync().value() == EIO);
  CHECK(!c.files[1].sync());  // no data of this node was lost
}

TEST_CASE("an answer that is not what was asked for is an error", "[gpfs][partitioning]") {
  gpfs::detail::client_node node(0, small());
  gpfs::detail::outbox out;
  auto const from_manager = [&](gpfs::detail::message_body body) {
    node.receive(
        {{gpfs::detail::role::manager, 0}, {gpfs::detail::role::client, 0}, std::move(body)}, {},
        out);
  };
  auto const submit = [&](gpfs::detail::call c) {
    out = {};
    return node.submit(std::move(c), {}, out);
  };
  // Returns the body of the last message of this kind.
  auto const said = [&]<class Body>(Body) {
    Body found;
    for (auto const& m : out.messages)
      if (auto const* const b = std::get_if<Body>(&m.what.body)) found = *b;
    return found;
  };
  gpfs::detail::known_size const size{1000, 0};

  gpfs::detail::call open;
  open.kind = gpfs::detail::call_kind::open;
  open.path = "f";
  open.for_writing = true;
  submit(open);
  from_manager(gpfs::detail::open_answer{said(gpfs::detail::open_request()).call, 0, 0, size});
  REQUIRE(out.completions.size() == 1);
  gpfs::detail::call c;
  c.instance = static_cast<int>(out.completions[0].value);

  auto argument = io::test::ship_start(1);
  c.kind = gpfs::detail::call_kind::fcntl;
  c.argument = std::as_writable_bytes(std::span(&argument, 1));
  submit(c);
  from_manager(gpfs::detail::ship_begin{0, 1, {1, {1}}});  // the other node owns all blocks
  from_manager(gpfs::detail::ship_go{0, 1, size});
  from_manager(gpfs::detail::ship_done{said(gpfs::detail::ship_start()).call, 0});
  REQUIRE(out.completions.size() == 1);
  REQUIRE(out.completions[0].error == 0);

  std::vector<std::byte> memory(100);
  auto const answered = [&](gpfs::detail::call_kind kind, std::size_t bytes) {
    c.kind = kind;
    c.into = memory;
    c.from = memory;
    submit(c);
    std::int64_t const id = said(gpfs::detail::ship_call()).id;
    gpfs::detail::ship_answer const a{id, 0, 0, false, 1, std::vector<std::byte>(bytes), size};
    node.receive({{gpfs::detail::role::client, 1}, {gpfs::detail::role::client, 0}, a}, {}, out);
    REQUIRE(out.completions.size() == 1);
    return out.completions[0].error;
  };
  CHECK(answered(gpfs::detail::call_kind::read, 100) == 0);
  CHECK(answered(gpfs::detail::call_kind::read, 0) == EIO);
  CHECK(answered(gpfs::detail::call_kind::read, 99) == EIO);
  CHECK(answered(gpfs::detail::call_kind::write, 0) == 0);
  CHECK(answered(gpfs::detail::call_kind::write, 100) == EIO);
}
