// Range hints, late errors and malformed arguments of one client node.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "lab/gpfs/gpfs_client_cases.hpp"
#include "support/gpfs_hints.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using namespace io::test;

TEST_CASE("accepted ranges are read, kept, and come back once", "[gpfs][hints]") {
  gpfs::machine m = small();
  m.range_quota_blocks = 6;
  cluster c(1, m);
  c.prepare(32);
  std::int64_t const blocks[] = {20, 3, 17, 9, 30, 1, 12, 25};
  io::test::ranges_hint h;
  for (auto const b : blocks) h.a.accRangeArray[h.a.accRangeCnt++] = {b, 100, 50, 0, {}};
  REQUIRE(!c.files[0].fcntl(h));
  CHECK(h.a.accRangeCnt == 6);  // only the first ones
  c.host.run();
  CHECK(c.host.client(0).pinned_blocks() == 6);
  CHECK(c.count(0).block_reads - c.base.block_reads == 6);
  CHECK(c.read(0, 17 * B + 100, 50).bytes == 50);
  CHECK(c.count(0).block_reads - c.base.block_reads == 6);

  // Until a range is released, no more are accepted. A release must name an identical range.
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
  REQUIRE(!c.files[0].fcntl(more));  // a range can be released only once
  CHECK(c.count(0).ranges_unknown == 2);

  io::test::hint<gpfs::gpfsCancelHints_t> cancel;
  REQUIRE(!c.files[0].fcntl(cancel));
  CHECK(c.host.client(0).pinned_blocks() == 0);
}

TEST_CASE("a range that is released before its block has come, and accepted anew, is pinned once",
          "[gpfs][hints]") {
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
  REQUIRE(c.host.client(0).token(0, 5) == gpfs::detail::token_mode::none);  // still on its way
  say(1, 1);
  c.host.run();
  CHECK(c.host.client(0).pinned_blocks() == 1);
  say(0, 1);
  CHECK(c.host.client(0).pinned_blocks() == 0);
}

TEST_CASE("a range to be written reads its block only if it leaves something of it",
          "[gpfs][hints]") {
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
  CHECK(c.host.client(0).token(0, 2) == gpfs::detail::token_mode::write);
  CHECK(c.host.client(0).token(0, 5) == gpfs::detail::token_mode::write);
  REQUIRE(!c.write(0, 5 * B, 10));
  CHECK(c.count(0).merge_reads == c.base.merge_reads);
  h.a.accRangeCnt = 0;
  h.a.relRangeCnt = 1;
  h.a.relRangeArray[0] = {5, 0, 10, 1, {}};
  REQUIRE(!c.files[0].fcntl(h));
  c.host.run();
  CHECK(c.host.client(0).dirty_blocks() == 0);  // done by write-behind
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
    gpfs::detail::instant const begin = c.host.now();
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

TEST_CASE("what cannot be flushed is told to the one that wrote it, once, at its next call",
          "[gpfs][errors]") {
  cluster c(2);
  c.files.push_back(c.open(0));  // another task of node 0
  REQUIRE(!c.write(0, 0, 10));
  REQUIRE(!c.write(2, 4 * B, 10));
  c.store->unwritable = {0};

  SECTION("on revocation") {
    CHECK(!c.write(1, 100, 10));  // gets the token, and has lost nothing
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

TEST_CASE("a block that cannot be read fails the call that needs it, with a true count",
          "[gpfs][errors]") {
  cluster c(1);
  c.prepare(8);
  c.store->unreadable = {3};
  io::extend::io_result const r = c.read(0, 0, 8 * B);
  CHECK(r.error.value() == EIO);
  CHECK(r.bytes == 3 * B);
  CHECK(c.write(0, 3 * B + 10, 10).value() == EIO);  // the block would have to be merged
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
  CHECK(h.header.errorOffset == -1);  // unchanged
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
  CHECK(replicas.a.status == 0);
}
