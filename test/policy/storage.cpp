// The choices of automatic by the prices of storages, for the access patterns of
// docs/develop/lab/gpfs_shapes.md.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <argosy/policy.hpp>

#include "support/catch.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::access_kind;

namespace {

using views = std::function<io::layout(int rank)>;

// Returns the summary that the first reduction of a call has.
io::extend::access_summary summary_of(int ranks, views const& view, access_kind kind,
                                      io::sieving const& alone) {
  io::extend::access_summary all;
  for (int rank = 0; rank < ranks; ++rank) {
    io::layout const file = view(rank), memory = io::bytes(file.size());
    io::access const wanted{kind, file, 0, file.size(), memory};
    io::extend::window const hull = io::extend::window_of(file, 0, file.size());
    io::extend::access_summary mine;
    mine.low = hull.offset;
    mine.high = hull.offset + hull.length;
    mine.bytes = mine.most_bytes = file.size();
    mine.pieces = mine.most_pieces = hull.pieces;
    mine.spans = hull.length;
    mine.granule = io::granule_of(file);
    io::sieving::estimate const by_itself = alone.estimate_of(wanted);
    mine.alone_ns = mine.alone_sum_ns = static_cast<std::int64_t>(by_itself.ns);
    mine.alone_calls = static_cast<std::int64_t>(by_itself.calls);
    mine.alone_bytes = static_cast<std::int64_t>(by_itself.bytes);
    mine.ranks = 1;
    all.combine(mine);
  }
  return all;
}

io::collective_plan choice(int ranks, views const& view, access_kind kind,
                           io::extend::storage const& on) {
  io::sieving alone;
  alone.prices = on.prices;
  alone.sharers = ranks;
  io::automatic const policy{.sieving = alone, .exchange = on.exchange, .storage = on.name};
  return policy.plan(kind, summary_of(ranks, view, kind, alone),
                     {.size = ranks, .nodes = ranks, .block_bytes = 256 << 10});
}

// Deals pieces to the ranks at random, `each` for each rank.
views at_random(int ranks, std::int64_t each, std::int64_t piece) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(ranks * each));
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), std::mt19937_64(1));
  return [=](int rank) {
    std::vector<std::int64_t> mine(all.begin() + rank * each, all.begin() + (rank + 1) * each);
    std::sort(mine.begin(), mine.end());
    std::vector<io::layout> parts;
    for (std::int64_t const i : mine) parts.push_back(io::at(i * piece, io::bytes(piece)));
    return io::concat(std::span<io::layout const>(parts));
  };
}

}  // namespace

TEST_CASE("on GPFS, small blocks dealt to all ranks are written and read together",
          "[automatic][prices]") {
  for (int const ranks : {2, 8, 32, 128})
    for (access_kind const kind : {access_kind::read, access_kind::write}) {
      io::collective_plan const p =
          choice(ranks, at_random(ranks, 1024, 1024), kind, io::extend::storage::gpfs());
      CAPTURE(ranks, p.reason);
      CHECK(p.together);
      CHECK(p.policy == "two_phase");  // agents have stripes of 16 blocks here, so there are few
      CHECK_THAT(p.reason, ContainsSubstring(" us, by the prices of GPFS"));
    }
}

TEST_CASE("on GPFS, records in turn are written and read together", "[automatic][prices]") {
  for (int const ranks : {4, 8, 32, 128})
    for (access_kind const kind : {access_kind::read, access_kind::write}) {
      auto const turns = [=](int rank) {
        return io::at(512 * rank, io::repeat(128, 512 * ranks, io::bytes(512)));
      };
      io::collective_plan const p = choice(ranks, turns, kind, io::extend::storage::gpfs());
      CAPTURE(ranks, p.reason);
      CHECK(p.together);
    }
}

TEST_CASE("on GPFS, whole blocks of each rank go alone", "[automatic][prices]") {
  for (int const ranks : {1, 8, 32, 128})
    for (access_kind const kind : {access_kind::read, access_kind::write}) {
      auto const own = [](int rank) {
        return io::at(rank * (std::int64_t{4} << 20), io::bytes(4 << 20));
      };
      io::collective_plan const p = choice(ranks, own, kind, io::extend::storage::gpfs());
      CAPTURE(ranks, p.reason);
      CHECK_FALSE(p.together);
      CHECK_THAT(p.reason,
                 ContainsSubstring("each by itself") && ContainsSubstring("by the prices of GPFS"));
    }
}

TEST_CASE("one pattern, and a choice for each kind of storage", "[automatic][prices]") {
  // Rows of 8 KiB, of two ranks in turn. For a page cache they are long enough. On GPFS each block
  // moves between the ranks all the time.
  auto const rows = [](int rank) {
    return io::at(8192 * rank, io::repeat(256, 16384, io::bytes(8192)));
  };
  io::collective_plan const local = choice(2, rows, access_kind::write, {}),
                            gpfs = choice(2, rows, access_kind::write, io::extend::storage::gpfs());
  CAPTURE(local.reason, gpfs.reason);
  CHECK_FALSE(local.together);
  CHECK(gpfs.together);
  CHECK_THAT(local.reason, ContainsSubstring("by the prices of local files"));
}

TEST_CASE("servers that all ranks share make ranks by themselves wait for each other",
          "[automatic][prices]") {
  io::extend::storage narrow = io::extend::storage::gpfs();
  narrow.exchange.server_byte_ns = 100;
  auto const own = [](int rank) {
    return io::at(rank * (std::int64_t{4} << 20), io::bytes(4 << 20));
  };
  io::collective_plan const p = choice(8, own, access_kind::read, narrow);
  // 32 MiB at 100 ns.
  CHECK_THAT(p.reason, ContainsSubstring("alone 3355443 us"));
}

TEST_CASE("servers that all ranks share have a time for each call, too", "[automatic][prices]") {
  io::extend::storage busy;
  busy.exchange.server_call_ns = 5000;
  for (auto const& [ranks, alone] :
       {std::pair(8, "alone 20480 us"), std::pair(256, "alone 655360 us")})
    for (access_kind const kind : {access_kind::read, access_kind::write}) {
      // Pieces too far apart to be merged: 512 calls of each rank.
      auto const turns = [=](int rank) {
        return io::at(512 * rank, io::repeat(512, 1 << 20, io::bytes(512)));
      };
      io::collective_plan const p = choice(ranks, turns, kind, busy);
      CAPTURE(ranks, p.reason);
      CHECK_THAT(p.reason, ContainsSubstring(alone));
    }
}

TEST_CASE("servers that all ranks share give each rank the holes that it reads, too",
          "[automatic][prices]") {
  // Each of eight ranks has 64 bytes of each 512. A rank that reads windows reads everything.
  auto const turns = [](int rank) {
    return io::at(64 * rank, io::repeat(16384, 512, io::bytes(64)));
  };
  io::extend::storage const on = io::extend::storage::network();
  io::collective_plan const read = choice(8, turns, access_kind::read, on);
  CAPTURE(read.reason);
  CHECK(read.together);
  CHECK_THAT(read.reason, ContainsSubstring("alone 669"));  // nearly 8 x 8 MiB, at 1 ns
  // Ranks of one node find in the cache what others have read.
  io::sieving alone;
  alone.prices = on.prices;
  alone.sharers = 8;
  io::automatic const policy{.sieving = alone, .exchange = on.exchange};
  io::collective_plan const node =
      policy.plan(access_kind::read, summary_of(8, turns, access_kind::read, alone),
                  {.size = 8, .nodes = 1, .block_bytes = 1});
  CAPTURE(node.reason);
  CHECK_THAT(node.reason, !ContainsSubstring("alone 669"));
}

TEST_CASE("a time beyond all numbers is a plan, too, and is told as the largest number",
          "[automatic][prices]") {
  io::extend::storage on = io::extend::storage::network();
  on.exchange.byte_ns = 1e30;
  auto const turns = [](int rank) {
    return io::at(64 * rank, io::repeat(1024, 512, io::bytes(64)));
  };
  io::collective_plan const read = choice(8, turns, access_kind::read, on);
  CAPTURE(read.reason);
  CHECK(!read.together);
  CHECK_THAT(read.reason, ContainsSubstring("together would take about 9223372036854775807 us"));
}

TEST_CASE(
    "the calls and bytes of a rank by itself are those of its pieces, or of windows that are "
    "merged",
    "[sieving][prices]") {
  auto const check = [](access_kind kind, io::sieving_mode how, std::int64_t piece, double calls,
                        std::int64_t bytes) {
    io::layout const file = io::repeat(64, 1024, io::bytes(piece)), memory = io::bytes(file.size());
    io::sieving::estimate const e =
        io::sieving{.reads = how, .writes = how}.estimate_of({kind, file, 0, file.size(), memory});
    CHECK(e.calls == calls);
    CHECK(e.bytes == static_cast<double>(bytes));
  };
  std::int64_t const hull = 63 * 1024 + 512;
  check(access_kind::read, io::sieving_mode::never, 512, 64, 64 * 512);
  check(access_kind::write, io::sieving_mode::never, 512, 64, 64 * 512);
  check(access_kind::read, io::sieving_mode::always, 512, 1, hull);
  check(access_kind::write, io::sieving_mode::always, 512, 2, 2 * hull);  // read, and written back
  check(access_kind::write, io::sieving_mode::always, 1024, 1, 64 * 1024);
}

TEST_CASE("the key of automatic has all prices", "[automatic][prices]") {
  io::automatic const a;
  io::automatic b;
  b.exchange.server_byte_ns = 1;
  CHECK(a.key() != b.key());
  b = a;
  b.exchange.server_call_ns = 1;
  CHECK(a.key() != b.key());
  b = a;
  b.exchange.crowd_call_ns = 1;
  CHECK(a.key() != b.key());
  b = a;
  b.storage = "elsewhere";  // a text only
  CHECK(a.key() == b.key());
}
