// File partitioning: which node owns which blocks, which nodes may take part, and how calls fail.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/lab/gpfs/detail/partition_map.hpp>
#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;

namespace {

constexpr int B = 1024;

gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.pagepool_bytes = 64 * B;
  m.servers = 2;
  m.ship_wait_s = 0;  // a signal may come at any time
  return m;
}

// A store whose writes fail if `error` is set.
class failing_store final : public gpfs::detail::block_store {
 public:
  bool has(gpfs::detail::file_id f, std::int64_t b) override { return inner_.has(f, b); }
  int read(gpfs::detail::file_id f, std::int64_t b, std::span<std::byte> to) override {
    return inner_.read(f, b, to);
  }
  int write(gpfs::detail::file_id f, std::int64_t b, std::int64_t at,
            std::span<std::byte const> from) override {
    return error != 0 ? error : inner_.write(f, b, at, from);
  }
  int cut(gpfs::detail::file_id f, std::int64_t bytes) override { return inner_.cut(f, bytes); }
  int error = 0;

 private:
  gpfs::detail::memory_store inner_{B};
};

struct cluster {
  explicit cluster(int nodes, gpfs::machine const& m = small())
      : store(std::make_shared<failing_store>()), host(m, nodes, {}, {store, store}) {
    for (int n = 0; n < nodes; ++n) open(n);
  }
  void open(int node, bool writes = true) {
    std::error_code error;
    files.push_back(gpfs::loopback_file::open(
        host, node, "f", {.read = true, .write = writes, .create = true}, error));
    REQUIRE(!error);
  }
  template <class Argument>
  gpfs::loopback::ticket start(std::size_t file, Argument& a) {
    gpfs::detail::call c = files[file].make(gpfs::detail::call_kind::fcntl);
    c.argument = std::as_writable_bytes(std::span(&a, 1));
    return files[file].start(c);
  }
  // Makes one call per file. Returns the errors.
  template <class Argument>
  std::vector<int> all(std::vector<Argument>& arguments) {
    std::vector<gpfs::loopback::ticket> tickets;
    for (std::size_t k = 0; k < arguments.size(); ++k) tickets.push_back(start(k, arguments[k]));
    std::vector<int> errors;
    for (auto const& t : tickets) errors.push_back(host.wait(t).error);
    return errors;
  }
  std::vector<int> start_all(std::size_t n) {
    std::vector<io::test::hint<gpfs::gpfsDataShipStart_t>> a(
        n, io::test::ship_start(static_cast<int>(n)));
    return all(a);
  }
  std::vector<int> start_with(std::vector<int> const& owners, int blocks = 1) {
    std::vector<io::test::ship_start_map> a(
        files.size(),
        io::test::ship_start_with(static_cast<int>(files.size()), blocks * B, owners));
    return all(a);
  }
  std::vector<int> stop_all(std::size_t n) {
    std::vector<io::test::ship_stop> a(n);
    return all(a);
  }
  std::error_code write(std::size_t file, std::int64_t offset, std::size_t length, int value = 7) {
    return files[file]
        .write(offset, std::vector<std::byte>(length, static_cast<std::byte>(value)))
        .error;
  }
  std::vector<std::byte> read(std::size_t file, std::int64_t offset, std::size_t length) {
    std::vector<std::byte> data(length);
    io::extend::io_result const r = files[file].read(offset, data);
    CHECK(!r.error);
    data.resize(static_cast<std::size_t>(r.bytes));
    return data;
  }
  gpfs::client_counters const& count(int node) { return host.client(node).counters(); }

  std::shared_ptr<failing_store> store;
  gpfs::loopback host;
  std::deque<gpfs::loopback_file> files;
};

std::vector<int> same(std::size_t n, int error) { return std::vector<int>(n, error); }

}  // namespace

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
