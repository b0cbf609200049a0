// Collective reads and writes through aggregators: compared with plain bytes, on random layouts,
// and with failures in any round.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/layout/detail/marks.hpp>
#include <argosy/policy/access_histogram.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/catch.hpp"
#include "support/far_apart_cases.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"
#include "support/shared_scratch.hpp"
#include "support/throwing_cases.hpp"
#include "support/two_phase_cases.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("marks are the bytes of a layout", "[marks][random]") {
  engine random(seed());
  for (int round = 0; round < 500; ++round) {
    CAPTURE(seed(), round);
    std::int64_t const unit = pick(random, 1, 9);
    std::vector<std::int64_t> offsets;
    std::int64_t end = pick(random, 0, 50);
    for (int i = 0; i < 200; ++i, end += pick(random, 1, 4)) offsets.push_back(end * unit);
    io::layout const l = io::repeat(3, (end + pick(random, 0, 2)) * unit, io::table(offsets, unit));
    std::int64_t const granule = io::granule_of(l);
    REQUIRE(granule % unit == 0);
    std::int64_t const from = pick(random, 0, l.size() / unit - 1) * unit;
    std::int64_t const to = from + pick(random, 1, (l.size() - from) / unit) * unit;
    std::int64_t const bits = l.true_upper_bound() / granule;
    std::vector<std::uint64_t> words(static_cast<std::size_t>(io::detail::marks::words_for(bits)));
    io::detail::marks marks(words);
    marks.set(l, from, to, 0, granule);
    std::vector<bool> hoped(static_cast<std::size_t>(bits));
    std::int64_t position = 0;
    for (io::extend::cursor at(l); !at.done(); at.next())
      for (std::int64_t k = 0; k < at.current().length; ++k, ++position)
        if (position >= from && position < to)
          hoped[static_cast<std::size_t>((at.current().offset + k) / granule)] = true;
    for (std::int64_t i = 0; i < bits; ++i)
      if (hoped[static_cast<std::size_t>(i)] != (marks.next_set(i, bits) == i) ||
          hoped[static_cast<std::size_t>(i)] == (marks.next_clear(i, bits) == i))
        FAIL("bit " << i);
  }
}

TEST_CASE("windows of a plan cover the domains, each byte once", "[two_phase]") {
  for (std::int64_t const window : {1, 7, 100, 4096})
    for (std::int64_t const low : {0, 5, 5000}) {
      io::extend::access_summary all;
      all.low = low;
      all.high = low + 10'007;
      all.bytes = 10'007;
      all.ranks = 3;
      all.granule = 1;
      io::collective_plan const p = io::two_phase{.window_bytes = window, .aggregators = 3}.plan(
          io::access_kind::write, all, {.size = 5, .nodes = 1, .block_bytes = 512});
      REQUIRE(p.together);
      std::int64_t at = low;
      for (io::extend::file_domain const& d : p.domains) {
        for (std::int64_t k = 0; k < p.rounds_of(d); ++k) {
          io::detail::file_window const w = p.window_of(d, k);
          CHECK(w.begin == at);
          CHECK(w.length() <= p.window_bytes);
          at = w.end;
        }
        CHECK(at == d.end);
      }
      CHECK(at == all.high);
    }
}

TEST_CASE("domains are balanced by what is wanted in them, and lose nothing",
          "[two_phase][balance][random]") {
  engine random(seed());
  for (int round = 0; round < 300; ++round) {
    CAPTURE(seed(), round);
    // A few dense stretches with gaps between them.
    std::int64_t const unit = pick(random, 1, 100), block = 512;
    std::vector<std::int64_t> offsets;
    std::int64_t at = pick(random, 0, 100);
    for (std::int64_t stretch = pick(random, 1, 6); stretch > 0; --stretch) {
      for (std::int64_t n = pick(random, 1, 2000); n > 0; --n, at += pick(random, 1, 2))
        offsets.push_back(at * unit);
      at += pick(random, 0, 20'000);
    }
    io::layout const l = io::table(offsets, unit), memory = io::bytes(l.size());
    io::access const mine{io::access_kind::write, l, 0, l.size(), memory};
    io::extend::access_summary all;
    all.low = offsets.front();
    all.high = offsets.back() + unit;
    all.bytes = l.size();
    all.pieces = l.pieces();
    all.ranks = 1;
    all.granule = io::granule_of(l);
    io::detail::access_histogram const where = io::detail::histogram_of(mine, all);
    REQUIRE(std::accumulate(where.bytes.begin(), where.bytes.end(), std::int64_t{0}) == all.bytes);
    io::extend::rank_group const ranks{.size = 8, .nodes = 1, .block_bytes = block};
    io::two_phase const policy{.window_bytes = 4096};
    io::collective_plan const p = policy.plan(io::access_kind::write, all, ranks, where);
    REQUIRE(p.together);
    std::int64_t end = all.low, bytes = 0, most = 0;
    for (io::extend::file_domain const& d : p.domains) {
      CHECK(d.begin >= end);
      CHECK(d.end >= d.begin);
      CHECK(d.begin % p.granule == 0);
      end = d.end;
      std::int64_t const here = l.bytes_before(d.end) - l.bytes_before(d.begin);
      bytes += here;
      most = std::max(most, here);
    }
    CHECK(end <= all.high);
    CHECK(bytes == all.bytes);
    // The histogram cannot resolve less than one of its stretches. Empty places count a little.
    std::int64_t const stretch = *std::max_element(where.bytes.begin(), where.bytes.end());
    auto const n = static_cast<std::int64_t>(p.domains.size());
    CHECK(most <= (all.bytes + all.span() / 64) / n + 2 * stretch + 2 * block);
  }

  // All bytes but one lie in the first hundredth. Equal domains would leave seven of eight
  // aggregators without data.
  io::layout const l = io::concat(io::at(0, io::bytes(10 << 20)), io::at(1000 << 20, io::bytes(1)));
  io::access const mine{io::access_kind::write, l, 0, l.size(), l};
  io::extend::access_summary all;
  all.low = 0;
  all.high = (1000 << 20) + 1;
  all.bytes = l.size();
  all.ranks = 1;
  all.granule = 1;
  REQUIRE(io::detail::may_be_uneven(all));
  io::extend::rank_group const ranks{.size = 8, .nodes = 1, .block_bytes = 4096};
  auto const most_in = [&](io::collective_plan const& p) {
    std::int64_t result = 0;
    for (io::extend::file_domain const& d : p.domains)
      result = std::max(result, l.bytes_before(d.end) - l.bytes_before(d.begin));
    return result;
  };
  CHECK(most_in(io::two_phase{}.plan(io::access_kind::write, all, ranks)) == 10 << 20);
  io::collective_plan const balanced =
      io::two_phase{}.plan(io::access_kind::write, all, ranks, io::detail::histogram_of(mine, all));
  CHECK(most_in(balanced) < 8 << 20);
  CHECK(balanced.rounds() < 60);
}

TEST_CASE("aggregators are those that may, one of each node after the other", "[two_phase]") {
  io::extend::access_summary all;
  all.low = 0;
  all.high = all.bytes = 100 << 20;
  all.ranks = 6;
  all.granule = 1;
  auto const owners = [&](io::two_phase const& policy, io::extend::rank_group const& ranks) {
    std::vector<int> result;
    for (io::extend::file_domain const& d : policy.plan(io::access_kind::write, all, ranks).domains)
      result.push_back(d.rank);
    return result;
  };
  io::extend::rank_group ranks{.size = 6, .nodes = 3, .block_bytes = 4096};
  CHECK(owners({.aggregators = 3}, ranks) == std::vector<int>{0, 2, 4});
  CHECK(owners({.aggregators_per_node = 1}, ranks) == std::vector<int>{0, 2, 4});
  ranks.eligible = {0, 1, 2, 3, 4, 5};  // ranks dealt to the nodes
  CHECK(owners({.aggregators = 3}, ranks) == std::vector<int>{0, 1, 2});
  ranks.eligible = {1, 5};
  CHECK(owners({}, ranks) == std::vector<int>{1, 5});
  CHECK(owners({.aggregators = 1}, ranks) == std::vector<int>{1});
}

TEST_CASE("what ranks write together is what each of them wrote, and nothing else",
          "[two_phase][random]") {
  check_random_transfers(io::mpi(MPI_COMM_WORLD), 60);
}
TEST_CASE("pieces of several ranks that overlap and are equal are there once",
          "[two_phase][ghosts][random]") {
  check_ghosts(io::mpi(MPI_COMM_WORLD), 20);
}
TEST_CASE("data that lies far apart costs no rounds in between", "[two_phase][far][random]") {
  check_far_apart(io::mpi(MPI_COMM_WORLD), 30, std::int64_t{1} << 40);
}
TEST_CASE("external32 goes through windows, too", "[two_phase][representation]") {
  check_converted_windows(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("an aggregator that cannot write goes on; windows that did not fail are complete",
          "[two_phase][errors]") {
  check_failing_writers(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("an aggregator that cannot read goes on", "[two_phase][errors]") {
  check_failing_readers(io::mpi(MPI_COMM_WORLD));
}

TEST_CASE("collective calls go on while ranks do other things", "[later]") {
  check_calls_under_way(io::mpi(MPI_COMM_WORLD));
}

TEST_CASE("on one node a nonblocking collective call needs no rank to come back", "[later]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world);
  auto f = io::file::open(world, dir / "f", io::mode::create | io::mode::read_write);
  std::vector<int> const data(1000, world.rank());
  io::request r = f.iwrite_at_all(1000 * world.rank(), data);
  // The ranks end one after the other. Meanwhile none of them is in a call of the file.
  if (world.rank() > 0) world.receive({}, world.rank() - 1, 0);
  r.wait();
  if (world.rank() + 1 < world.size()) world.send({}, world.rank() + 1, 0);
  f.close();
}

TEST_CASE("policies that differ between ranks are found before anything is written",
          "[two_phase][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  shared_scratch const dir(world);
  auto f = io::file::open(world, dir / "f", io::mode::create | io::mode::read_write);
  std::vector<int> const data(100, 1);
  std::error_code error;
  f.write_at_all(world.rank() * 100, data,
                 {io::two_phase{.window_bytes = 64 + world.rank()}, error});
  CHECK(error == io::errc::not_same);
  CHECK(f.size() == 0);
  f.close();
}

TEST_CASE("the choice between together and alone is by price, and says so", "[automatic]") {
  io::extend::access_summary all;
  all.low = 0;
  all.high = 1 << 30;
  all.bytes = 1 << 30;
  all.most_bytes = 1 << 28;
  all.ranks = 4;
  all.granule = 8;
  all.spans = 1 << 30;
  all.pieces = 4;
  all.most_pieces = 1;
  all.alone_ns = 30'000'000;
  all.alone_sum_ns = 4 * all.alone_ns;
  io::extend::rank_group const ranks{.size = 4, .nodes = 1, .block_bytes = 4096};
  io::collective_plan const apart = io::automatic{}.plan(io::access_kind::write, all, ranks);
  CHECK_FALSE(apart.together);
  CHECK_THAT(apart.reason, Catch::Matchers::ContainsSubstring("each by itself"));
  all.pieces = 1 << 27;
  all.most_pieces = 1 << 25;
  all.spans = std::int64_t{4} << 30;
  all.alone_ns = 20'000'000'000;
  all.alone_sum_ns = 4 * all.alone_ns;
  io::collective_plan const joint = io::automatic{}.plan(io::access_kind::write, all, ranks);
  CHECK(joint.together);
  CHECK_THAT(to_string(joint), Catch::Matchers::ContainsSubstring("4 aggregators"));

  // If blocks move between ranks, plans that bind blocks to agents are cheaper. A call of whole
  // blocks needs no block of an earlier call, so this does not matter there.
  io::automatic dear;
  dear.exchange.block_ns = 1e9;
  CHECK(dear.plan(io::access_kind::write, all, ranks).policy == "two_phase");
  all.high -= 8;
  io::collective_plan const bound = dear.plan(io::access_kind::write, all, ranks);
  CHECK(bound.together);
  CHECK(bound.policy == "data_shipping");
  CHECK(dear.plan(io::access_kind::read, all, ranks).policy == "two_phase");
  CHECK(dear.key() != io::automatic{}.key());
}

TEST_CASE("who throws in a collective call leaves nothing strange in the file or in memory",
          "[two_phase][exceptions]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world);
  check_throwing_writers(world, dir / "w", io::posix_opener(), true);
  check_throwing_readers(world, dir / "r", io::posix_opener(), true);
}
TEST_CASE("a policy of all ranks that throws ends its call, and no other",
          "[two_phase][exceptions]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const dir(world);
  check_throwing_plans(world, dir / "f", io::posix_opener());
}
