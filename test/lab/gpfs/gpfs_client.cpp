// The page pool, streams, range hints, late errors and costs of one client node.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/handle/posix.hpp>
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
  return m;
}

// A store with blocks that cannot be read or written.
class failing_store final : public gpfs::block_store {
 public:
  bool has(gpfs::file_id f, std::int64_t b) override { return inner_.has(f, b); }
  int read(gpfs::file_id f, std::int64_t b, std::span<std::byte> to) override {
    return unreadable.contains(b) ? EIO : inner_.read(f, b, to);
  }
  int write(gpfs::file_id f, std::int64_t b, std::int64_t at, std::span<std::byte const> from) override {
    return unwritable.contains(b) ? ENOSPC : inner_.write(f, b, at, from);
  }
  int cut(gpfs::file_id f, std::int64_t bytes) override { return inner_.cut(f, bytes); }
  std::set<std::int64_t> unreadable, unwritable;

 private:
  gpfs::memory_store inner_{B};
};

struct cluster {
  explicit cluster(int nodes, gpfs::machine const& m = small())
      : store(std::make_shared<failing_store>()), host(m, nodes, {}, {store, store}) {
    for (int n = 0; n < nodes; ++n) files.push_back(open(n));
  }
  gpfs::loopback_file open(int node) {
    std::error_code error;
    auto f = gpfs::loopback_file::open(host, node, "f", {.read = true, .write = true, .create = true}, error);
    REQUIRE(!error);
    return f;
  }
  std::error_code write(std::size_t file, std::int64_t offset, std::size_t length, int value = 7) {
    return files[file].write(offset, std::vector<std::byte>(length, static_cast<std::byte>(value))).error;
  }
  io::io_result read(std::size_t file, std::int64_t offset, std::size_t length) {
    data.assign(length, std::byte{});
    return files[file].read(offset, data);
  }
  // Blocks on disk, cached nowhere, no tokens left.
  void prepare(int blocks) {
    REQUIRE(!write(0, 0, static_cast<std::size_t>(blocks) * B));
    auto all = io::test::free_range(0, 0);
    REQUIRE(!files[0].fcntl(all));
    files[0] = reopened(0);
    base = count(0);
  }
  gpfs::loopback_file reopened(std::size_t file) {
    int const node = files[file].node();
    REQUIRE(!files[file].close());
    return open(node);
  }
  gpfs::client_counters const& count(int node) { return host.client(node).counters(); }

  std::shared_ptr<failing_store> store;
  gpfs::loopback host;
  std::vector<gpfs::loopback_file> files;
  std::vector<std::byte> data;
  gpfs::client_counters base;
};

}  // namespace

TEST_CASE("levels of writing: new block, whole block, part of a block, cached block", "[gpfs][pool]") {
  cluster c(1);
  REQUIRE(!c.write(0, 0, 10));
  CHECK(c.count(0).new_blocks == 1);
  CHECK(c.count(0).block_reads == 0);
  REQUIRE(!c.write(0, 20, 10));
  CHECK(c.count(0).page_hits == 1);
  c.prepare(4);
  REQUIRE(!c.write(0, 2 * B, B));
  CHECK(c.count(0).full_block_writes - c.base.full_block_writes == 1);
  CHECK(c.count(0).block_reads == c.base.block_reads);
  REQUIRE(!c.write(0, 10, 10));
  CHECK(c.count(0).merge_reads - c.base.merge_reads == 1);
  CHECK(c.count(0).block_reads - c.base.block_reads == 1);
}

TEST_CASE("levels of reading: disk with token, cache", "[gpfs][pool]") {
  cluster c(1);
  c.prepare(2);
  CHECK(c.read(0, 0, 10).bytes == 10);
  CHECK(c.count(0).block_reads - c.base.block_reads == 1);
  CHECK(c.read(0, 5, 10).bytes == 10);
  CHECK(c.count(0).block_reads - c.base.block_reads == 1);
  CHECK(c.count(0).page_hits - c.base.page_hits == 1);
  io::test::hint<gpfs::gpfsClearFileCache_t> clear;
  REQUIRE(!c.files[0].fcntl(clear));
  std::int64_t const requests = c.count(0).token_requests;
  CHECK(c.read(0, 5, 10).bytes == 10);
  CHECK(c.count(0).block_reads - c.base.block_reads == 2);
  CHECK(c.count(0).token_requests == requests);  // the token has stayed
}

TEST_CASE("the pool is not larger than it is, and what it must give up is written", "[gpfs][pool]") {
  gpfs::machine m = small();
  m.pagepool_bytes = 4 * B;
  cluster c(1, m);
  for (int b = 0; b < 10; ++b) {
    REQUIRE(!c.write(0, 2 * b * B, 10, b + 1));
    CHECK(c.host.client(0).cached_blocks() <= 4);
  }
  CHECK(c.count(0).evictions == 6);
  for (int b = 0; b < 10; ++b) {
    CHECK(c.read(0, 2 * b * B, 10).bytes == 10);
    CHECK(c.data[9] == static_cast<std::byte>(b + 1));
  }
}

TEST_CASE("a sequential reader reads every block once, ahead of time", "[gpfs][streams]") {
  cluster c(1);
  c.prepare(32);
  for (int k = 0; k < 32 * 4; ++k) REQUIRE(c.read(0, k * B / 4, B / 4).bytes == B / 4);
  CHECK(c.count(0).block_reads - c.base.block_reads == 32);
  CHECK(c.count(0).prefetches - c.base.prefetches == 30);  // with the token for block 1 come all others
  CHECK(c.count(0).prefetch_hits - c.base.prefetch_hits == 30);
  CHECK(c.count(0).token_requests - c.base.token_requests == 2);
}

TEST_CASE("a strided reader gets its next records, not those between", "[gpfs][streams]") {
  cluster c(1);
  c.prepare(64);
  for (int k = 0; k < 16; ++k) REQUIRE(c.read(0, k * 4 * B, 100).bytes == 100);
  CHECK(c.count(0).block_reads - c.base.block_reads == 16);
  CHECK(c.count(0).prefetches - c.base.prefetches == 13);  // from the third call on
}

TEST_CASE("a random reader gets nothing ahead of time", "[gpfs][streams]") {
  cluster c(1);
  c.prepare(32);
  for (int const b : {5, 9, 2, 30, 11, 4, 27}) REQUIRE(c.read(0, b * B, 100).bytes == 100);
  CHECK(c.count(0).prefetches == c.base.prefetches);
  CHECK(c.count(0).block_reads - c.base.block_reads == 7);
  io::test::hint<gpfs::gpfsPrefetch_t> off;
  off.a.prefetchEnableRead = 0;
  REQUIRE(!c.files[0].fcntl(off));
  for (int k = 12; k < 20; ++k) REQUIRE(c.read(0, k * B, B).bytes == B);
  CHECK(c.count(0).prefetches == c.base.prefetches);
}

TEST_CASE("a block that is given away while it is read ahead is read again", "[gpfs][streams]") {
  gpfs::machine m = small();
  m.server_mb_per_s = 0.001;  // the answer is under way for a second
  cluster c(2, m);
  c.prepare(8);
  REQUIRE(c.read(0, 0, B).bytes == B);
  REQUIRE(c.read(0, B, B).bytes == B);
  REQUIRE(c.count(0).prefetches > c.base.prefetches);
  REQUIRE(!c.files[1].resize(2 * B));
  REQUIRE(!c.files[1].resize(4 * B));
  REQUIRE(c.read(0, 2 * B, B).bytes == B);
  CHECK(c.data == std::vector<std::byte>(B));  // nothing is left of what was there when it was asked for first
}

TEST_CASE("a sequential writer's blocks go to disk behind it", "[gpfs][streams]") {
  cluster c(1);
  for (int k = 0; k < 40; ++k) REQUIRE(!c.write(0, k * B / 4, B / 4));
  c.host.run();
  CHECK(c.count(0).write_behinds == 10);
  CHECK(c.count(0).block_writes == 10);
  CHECK(c.host.client(0).dirty_blocks() == 0);
  CHECK(c.count(0).block_reads == 0);
}

TEST_CASE("a strided writer's parts of blocks wait for sync; close does not bring them to disk", "[gpfs][streams]") {
  cluster c(1);
  for (int k = 0; k < 8; ++k) REQUIRE(!c.write(0, k * 2 * B, 100));
  c.host.run();
  CHECK(c.count(0).block_writes == 0);
  CHECK(c.host.client(0).dirty_blocks() == 8);
  REQUIRE(!c.files[0].close());
  CHECK(c.host.client(0).dirty_blocks() == 8);
  c.files[0] = c.open(0);
  REQUIRE(!c.files[0].sync());
  CHECK(c.count(0).block_writes == 8);
}

TEST_CASE("beyond the limit of dirty blocks the writer waits", "[gpfs][streams]") {
  gpfs::machine m = small();
  m.write_behind_max_blocks = 3;
  cluster c(1, m);
  for (int b = 0; b < 10; ++b) {
    REQUIRE(!c.write(0, 3 * b * B, 10));
    CHECK(c.host.client(0).dirty_blocks() <= 3);
  }
  CHECK(c.count(0).write_behind_waits == 7);
  CHECK(c.count(0).block_writes == 7);
}

TEST_CASE("a synchronous write is on disk when it returns", "[gpfs][pool]") {
  cluster c(1);
  gpfs::call o;
  o.kind = gpfs::call_kind::open;
  o.path = "f";
  o.for_writing = o.synchronous = true;
  gpfs::call w;
  w.kind = gpfs::call_kind::write;
  w.instance = static_cast<int>(c.host.perform(0, o).value);
  std::vector<std::byte> const data(10);
  w.from = data;
  CHECK(c.host.perform(0, w).value == 10);
  CHECK(c.count(0).block_writes == 1);
  c.store->unwritable = {0};
  CHECK(c.host.perform(0, w).error == ENOSPC);
}

TEST_CASE("accepted ranges are read, kept, and come back once", "[gpfs][hints]") {
  gpfs::machine m = small();
  m.range_quota_blocks = 6;
  cluster c(1, m);
  c.prepare(32);
  std::int64_t const blocks[] = {20, 3, 17, 9, 30, 1, 12, 25};
  io::test::ranges_hint h;
  for (auto const b : blocks) h.a.accRangeArray[h.a.accRangeCnt++] = {b, 100, 50, 0, {}};
  REQUIRE(!c.files[0].fcntl(h));
  CHECK(h.a.accRangeCnt == 6);  // a prefix
  c.host.run();
  CHECK(c.host.client(0).pinned_blocks() == 6);
  CHECK(c.count(0).block_reads - c.base.block_reads == 6);
  CHECK(c.read(0, 17 * B + 100, 50).bytes == 50);
  CHECK(c.count(0).block_reads - c.base.block_reads == 6);

  // As long as nothing comes back, nothing more is taken; an entry that is not identical does not count.
  io::test::ranges_hint more;
  more.a.accRangeCnt = 1;
  more.a.accRangeArray[0] = {12, 0, 10, 0, {}};
  more.a.relRangeCnt = 1;
  more.a.relRangeArray[0] = {20, 100, 51, 0, {}};
  REQUIRE(!c.files[0].fcntl(more));
  CHECK(more.a.accRangeCnt == 0);
  CHECK(c.count(0).ranges_unknown == 1);
  more.a.accRangeCnt = 1;
  more.a.relRangeArray[0] = {20, 100, 50, 0, {}};
  REQUIRE(!c.files[0].fcntl(more));
  CHECK(more.a.accRangeCnt == 1);
  c.host.run();
  CHECK(c.host.client(0).pinned_blocks() == 6);
  REQUIRE(!c.files[0].fcntl(more));  // once only
  CHECK(c.count(0).ranges_unknown == 2);

  io::test::hint<gpfs::gpfsCancelHints_t> cancel;
  REQUIRE(!c.files[0].fcntl(cancel));
  CHECK(c.host.client(0).pinned_blocks() == 0);
}

TEST_CASE("a range that is released before its block has come, and accepted anew, is pinned once", "[gpfs][hints]") {
  cluster c(1);
  c.prepare(8);
  io::test::ranges_hint h;
  auto const say = [&](int accepted, int released) {
    h.a.accRangeCnt = accepted;
    h.a.relRangeCnt = released;
    h.a.accRangeArray[0] = h.a.relRangeArray[0] = {5, 0, 10, 0, {}};
    REQUIRE(!c.files[0].fcntl(h));
    CHECK(h.a.accRangeCnt == accepted);
  };
  say(1, 0);
  REQUIRE(c.host.client(0).token(0, 5) == gpfs::token_mode::none);  // still on its way
  say(1, 1);
  c.host.run();
  CHECK(c.host.client(0).pinned_blocks() == 1);
  say(0, 1);
  CHECK(c.host.client(0).pinned_blocks() == 0);
}

TEST_CASE("a range to be written reads its block only if it leaves something of it", "[gpfs][hints]") {
  cluster c(1);
  c.prepare(8);
  io::test::ranges_hint h;
  h.a.accRangeCnt = 2;
  h.a.accRangeArray[0] = {2, 0, B, 1, {}};
  h.a.accRangeArray[1] = {5, 0, 10, 1, {}};
  REQUIRE(!c.files[0].fcntl(h));
  CHECK(h.a.accRangeCnt == 2);
  c.host.run();
  CHECK(c.count(0).block_reads - c.base.block_reads == 1);
  CHECK(c.host.client(0).token(0, 2) == gpfs::token_mode::write);
  CHECK(c.host.client(0).token(0, 5) == gpfs::token_mode::write);
  REQUIRE(!c.write(0, 5 * B, 10));
  CHECK(c.count(0).merge_reads == c.base.merge_reads);
  h.a.accRangeCnt = 0;
  h.a.relRangeCnt = 1;
  h.a.relRangeArray[0] = {5, 0, 10, 1, {}};
  REQUIRE(!c.files[0].fcntl(h));
  c.host.run();
  CHECK(c.host.client(0).dirty_blocks() == 0);  // write-behind
}

TEST_CASE("an accepted range can be stolen by another node", "[gpfs][hints]") {
  cluster c(2);
  c.prepare(8);
  io::test::ranges_hint h;
  h.a.accRangeCnt = 1;
  h.a.accRangeArray[0] = {4, 0, 10, 0, {}};
  REQUIRE(!c.files[0].fcntl(h));
  c.host.run();
  REQUIRE(!c.write(1, 4 * B, 10, 42));
  CHECK(c.count(0).revoke_drops == 1);
  CHECK(c.host.client(0).pinned_blocks() == 0);
  CHECK(c.read(0, 4 * B, 10).bytes == 10);
  CHECK(c.data[0] == std::byte{42});
}

TEST_CASE("random reads gain by the range hint, sequential ones do not", "[gpfs][hints][cost]") {
  auto const time = [](bool hinted, bool random) {
    cluster c(1);
    int const blocks = random ? 32 : 512;
    c.prepare(blocks);
    gpfs::instant const begin = c.host.now();
    io::test::ranges_hint h;
    for (int k = 0; k < blocks; ++k) {
      auto const block = [&](int n) { return std::int64_t{random ? n * 13 % 32 : n}; };
      if (hinted && k % 8 == 0) {
        h.a.relRangeCnt = h.a.accRangeCnt;
        std::copy_n(h.a.accRangeArray, 8, h.a.relRangeArray);
        h.a.accRangeCnt = 8;
        for (int n = 0; n < 8; ++n) h.a.accRangeArray[n] = {block(k + n), 0, 100, 0, {}};
        REQUIRE(!c.files[0].fcntl(h));
      }
      REQUIRE(c.read(0, block(k) * B, random ? 100 : B).bytes > 0);
    }
    return std::chrono::duration<double>(c.host.now() - begin).count();
  };
  CHECK(time(false, true) > 2 * time(true, true));
  CHECK(time(false, false) < time(true, false));
}

TEST_CASE("what cannot be flushed is told to the one that wrote it, once, at its next call", "[gpfs][errors]") {
  cluster c(2);
  c.files.push_back(c.open(0));  // another task of node 0
  REQUIRE(!c.write(0, 0, 10));
  REQUIRE(!c.write(2, 4 * B, 10));
  c.store->unwritable = {0};

  SECTION("on revocation") {
    CHECK(!c.write(1, 100, 10));  // gets the token; has lost nothing
    CHECK(!c.write(2, 20 * B, 10));
    CHECK(c.write(0, 8 * B, 10).value() == ENOSPC);
    CHECK(!c.write(0, 8 * B, 10));
  }
  SECTION("by sync, of whoever calls it") {
    CHECK(!c.files[2].sync());
    CHECK(c.files[0].sync().value() == ENOSPC);
    CHECK(!c.files[0].sync());
  }
  SECTION("on reading elsewhere; then reading sees what is on disk") {
    CHECK(c.read(1, 0, 10).bytes == 10);
    CHECK(c.data[0] == std::byte{0});
    CHECK(c.read(0, 0, 10).error.value() == ENOSPC);
    CHECK(c.read(0, 0, 10).bytes == 10);
    CHECK(c.data[0] == std::byte{0});
  }
  SECTION("by close") {
    CHECK(!c.write(1, 100, 10));
    CHECK(c.files[0].close().value() == ENOSPC);
    CHECK(!c.files[0].is_open());
  }
  SECTION("after close: the next one on this node") {
    REQUIRE(!c.files[0].close());
    CHECK(!c.write(1, 100, 10));
    CHECK(c.count(0).errors_after_close == 1);
    c.files[0] = c.open(0);
    CHECK(c.read(0, 4 * B, 10).error.value() == ENOSPC);
    CHECK(c.read(0, 4 * B, 10).bytes == 10);
  }
}

TEST_CASE("a block that cannot be read fails the call that needs it, with a true count", "[gpfs][errors]") {
  cluster c(1);
  c.prepare(8);
  c.store->unreadable = {3};
  io::io_result const r = c.read(0, 0, 8 * B);
  CHECK(r.error.value() == EIO);
  CHECK(r.bytes == 3 * B);
  CHECK(c.write(0, 3 * B + 10, 10).value() == EIO);  // it would have to be merged
  CHECK(!c.write(0, 3 * B, B));
  c.store->unreadable = {};
  CHECK(c.read(0, 0, 8 * B).bytes == 8 * B);
}

TEST_CASE("ill-formed arguments are named by their offset", "[gpfs][fcntl]") {
  cluster c(1);
  auto h = io::test::free_range(0, 0);
  auto const refused = [&](int error, int offset) {
    h.header.errorOffset = -1;
    CHECK(c.files[0].fcntl(h).value() == error);
    CHECK(h.header.errorOffset == offset);
    h = io::test::free_range(0, 0);
  };
  h.header.totalLength = gpfs::fcntl_length_max + 8;
  refused(E2BIG, 0);
  h.header.fcntlVersion = 2;
  refused(EINVAL, 0);
  h.header.totalLength = 12;
  refused(EINVAL, 0);
  h.a.structLen = 32;
  refused(EINVAL, 16);
  h.a.structType = 999;
  refused(EINVAL, 16);
  h.a.start = -1;
  refused(EINVAL, 16);
  h.header.errorOffset = -1;
  CHECK(!c.files[0].fcntl(h));
  CHECK(h.header.errorOffset == -1);  // untouched
  io::test::hints<gpfs::gpfsFreeRange_t, gpfs::gpfsAccessRange_t> two;
  two.b.length = -1;
  CHECK(c.files[0].fcntl(two).value() == EINVAL);
  CHECK(two.header.errorOffset == 40);
  io::test::hint<gpfs::gpfsMultipleAccessRange_t> many;
  many.a.accRangeCnt = 9;
  CHECK(c.files[0].fcntl(many).value() == EINVAL);
  io::test::hint<gpfs::gpfsGetReplication_t> replicas;
  CHECK(!c.files[0].fcntl(replicas));
  CHECK(replicas.a.dataReplicas == 1);
}

TEST_CASE("names", "[gpfs]") {
  cluster c(1);
  std::error_code error;
  auto const open = [&](char const* name, io::open_flags flags) {
    return gpfs::loopback_file::open(c.host, 0, name, flags, error);
  };
  CHECK(!open("none", {.read = true}).is_open());
  CHECK(error.value() == ENOENT);
  CHECK(!open("f", {.write = true, .create = true, .exclusive = true}).is_open());
  CHECK(error.value() == EEXIST);
  auto reader = open("f", {.read = true});
  std::vector<std::byte> const data(10);
  CHECK(reader.write(0, data).error.value() == EBADF);
  gpfs::call r;
  r.kind = gpfs::call_kind::remove;
  r.path = "f";
  CHECK(c.host.perform(0, r).error == 0);
  CHECK(c.host.perform(0, r).error == ENOENT);
}

TEST_CASE("a file that is renamed keeps its bytes and who has it open; what had the name is gone", "[gpfs]") {
  cluster c(2);
  std::error_code error;
  auto const open = [&](int node, char const* name, bool create) {
    return gpfs::loopback_file::open(c.host, node, name, {.read = true, .write = true, .create = create}, error);
  };
  auto const rename = [&](char const* from, char const* to) {
    gpfs::call r;
    r.kind = gpfs::call_kind::rename;
    r.path = from;
    r.to = to;
    return c.host.perform(1, r).error;
  };
  auto a = open(0, "a", true), b = open(1, "b", true);
  std::vector<std::byte> const ones(3 * B, std::byte{1}), twos(10, std::byte{2});
  CHECK(!a.write(0, ones).error);
  CHECK(!b.write(0, twos).error);
  CHECK(rename("none", "a") == ENOENT);
  CHECK(rename("a", "a") == 0);
  CHECK(rename("a", "b") == 0);
  CHECK_FALSE(open(0, "a", false).is_open());
  CHECK(c.host.content("b") == ones);
  auto again = open(1, "b", false);
  std::vector<std::byte> back(3 * B);
  CHECK(again.read(0, back).bytes == 3 * B);
  CHECK(back == ones);
  CHECK(!a.write(0, twos).error);  // by its old name's handle
  CHECK(again.read(0, back).bytes == 3 * B);
  CHECK(back[9] == std::byte{2});
  CHECK(b.read(0, back).bytes == 10);  // without a name, but open
  CHECK(rename("a", "b") == ENOENT);
}

TEST_CASE("blocks at rest may lie in an ordinary file", "[gpfs]") {
  auto const path = std::filesystem::temp_directory_path() / "argosy_gpfs_blocks";
  std::error_code error;
  auto store = std::make_shared<gpfs::handle_store>(B);
  store->attach(0, io::posix::open(path.string(), {.read = true, .write = true, .create = true}, error));
  REQUIRE(!error);
  gpfs::loopback host(small(), 2, {}, {store, store});
  auto a = gpfs::loopback_file::open(host, 0, "f", {.read = true, .write = true, .create = true}, error);
  auto b = gpfs::loopback_file::open(host, 1, "f", {.read = true, .write = true}, error);
  std::vector<std::byte> const data(5 * B + 10, std::byte{3});
  CHECK(a.write(100, data).bytes == 5 * B + 10);
  std::vector<std::byte> got(10 * B);
  CHECK(b.read(0, got).bytes == 5 * B + 110);
  CHECK(got[99] == std::byte{0});
  CHECK(got[5 * B + 109] == std::byte{3});
  REQUIRE(!a.resize(150));
  CHECK(b.read(0, got).bytes == 150);
  CHECK(std::filesystem::file_size(path) == 150);
  std::filesystem::remove(path);
}

TEST_CASE("the chains of costs", "[gpfs][cost]") {
  gpfs::machine m = small();
  m.block_bytes = 1 << 18;
  m.pagepool_bytes = 64 << 18;
  auto const us = [](double seconds) { return seconds * 1e6; };
  auto const block = [&](double rate) { return us(gpfs::machine::seconds(m.block_bytes, rate)); };
  cluster c(2, m);
  auto const takes = [&](auto&& action) {
    c.host.run();
    gpfs::instant const begin = c.host.now();
    action();
    return std::chrono::duration<double, std::micro>(c.host.now() - begin).count();
  };
  double const message = m.message_us + us(gpfs::machine::seconds(128, m.nic_mb_per_s));
  double const copy = us(m.seconds_to_copy(1000));
  double const first = takes([&] { REQUIRE(!c.write(0, 0, 1000)); });
  CHECK(first == Approx(m.call_us + 2 * message + m.token_us + copy).epsilon(0.02));
  CHECK(takes([&] { REQUIRE(!c.write(0, 0, 1000)); }) == Approx(m.call_us + copy).epsilon(0.01));
  double const disk = m.disk_us + block(m.disk_mb_per_s);
  double const sync = takes([&] { REQUIRE(!c.files[0].sync()); });
  CHECK(sync == Approx(m.call_us + block(m.client_write_mb_per_s) + block(m.nic_mb_per_s) + block(m.server_mb_per_s) +
                       disk + 2 * m.message_us)
                    .epsilon(0.02));
  CHECK(m.efficiency(m.queue_limit, true) == 1);
  m.overload_write = 0.5;
  CHECK(m.efficiency(2 * m.queue_limit, true) == Approx(1 / 1.5));
  CHECK(m.efficiency(2 * m.queue_limit, false) == 1);
}

TEST_CASE("what is announced for later leaves a resource to what comes before", "[gpfs][cost]") {
  using gpfs::instant;
  gpfs::fifo f;
  CHECK(f.take(instant(100), instant(10)) == instant(110));
  CHECK(f.take(instant(0), instant(50)) == instant(50));
  CHECK(f.take(instant(20), instant(40)) == instant(90));   // behind the second
  CHECK(f.take(instant(85), instant(20)) == instant(130));  // no room before the first
  CHECK(f.take(instant(85), instant(10)) == instant(100));
  CHECK(f.take(instant(0), instant(1)) == instant(131));
  CHECK(f.take(instant(200), instant(0)) == instant(200));
}

TEST_CASE("nobody waits for a block that is on its way to disk", "[gpfs][cost]") {
  gpfs::machine m = small();
  m.block_bytes = 1 << 18;
  m.pagepool_bytes = 64 << 18;
  cluster c(1, m);
  REQUIRE(!c.write(0, 0, 1 << 18));
  REQUIRE(c.count(0).write_behinds == 1);
  gpfs::instant const begin = c.host.now();
  REQUIRE(!c.files[0].lock(0, 1, io::lock_kind::exclusive));
  double const took = std::chrono::duration<double, std::micro>(c.host.now() - begin).count();
  CHECK(took < m.call_us + 2 * m.message_us + m.token_us + 10);
}

TEST_CASE("without flow control more clients get less", "[gpfs][cost]") {
  auto const time = [](double overload) {
    gpfs::machine m = small();
    m.queue_limit = 4;
    m.overload_write = overload;
    cluster c(16, m);
    std::vector<std::byte> const data(20 * B, std::byte{1});
    std::vector<gpfs::loopback::ticket> tickets;
    for (std::size_t n = 0; n < c.files.size(); ++n) {
      gpfs::call w = c.files[n].make(gpfs::call_kind::write);
      w.offset = static_cast<std::int64_t>(n) * 20 * B;
      w.from = data;
      tickets.push_back(c.files[n].start(w));
    }
    c.host.run();
    CHECK(c.host.server(0).counters().longest_queue > 4);
    CHECK(c.host.server(0).counters().overloaded > 0);
    return c.host.now();
  };
  CHECK(time(1.0) > 2 * time(0));
}
