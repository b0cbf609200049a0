// The promises of docs/use/files.md about bytes of a file that ranks share, tested on hosts with
// caches of their own. Every byte is compared with a list of all writes. Runs on any file system;
// cmake/hosts.sh runs it on distributed ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "hosts/sharing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <system_error>

#include <argosy/argosy.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/policy.hpp>

#include "support/catch.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test::sharing;
using io::mode;
using io::test::shared_scratch;

namespace {

io::extend::any_policy policy_of(std::int64_t round) {
  switch (round % 4) {
    case 0:
      return io::two_phase{};
    case 1:
      return io::sieving{.writes = io::sieving_mode::always};
    case 2:
      return io::independent{};
    default:
      return io::automatic{};
  }
}

}  // namespace

TEST_CASE("what was written, synced and waited for is read by all, round after round",
          "[hosts][sync]") {
  shared_scratch const here(world());
  turns const t{40};
  bytes wanted(static_cast<std::size_t>(t.size()), nobodys), got(wanted.size());
  make(here / "data", wanted);
  auto f = io::file::open(world(), here / "data", mode::read_write);
  for (int round = 0; round < 12; ++round) {
    turns const now{t.cycles, round};
    f.set_view(now.displacement(world().rank()), now.view());
    bytes const mine = now.data(round, world().rank());
    round % 3 == 2 ? f.write_at(0, mine) : f.write_at_all(0, mine, policy_of(round));
    f.sync();
    world().barrier();
    f.sync();
    now.put_all(wanted, round);
    f.set_view(0, io::type<std::uint8_t>);
    round % 2 == 0 ? f.read_at(0, got) : f.read_at_all(0, got);
    CAPTURE(round);
    CHECK(different(got, wanted) == 0);
    world().barrier();  // no rank may write what another one still reads
  }
  f.close();
  CHECK(different(plainly(here / "data", wanted.size()), wanted) == 0);
}

// Without sync, each rank reads only its own bytes. An aggregator on another host may have written
// them, while this host caches stale ones. The aggregator that reads them may cache stale ones,
// too. Domains end within pages, and move from call to call.
TEST_CASE("a rank reads what it wrote last, whoever carried it", "[hosts][own]") {
  shared_scratch const here(world());
  turns const t{40};
  bytes wanted(static_cast<std::size_t>(t.size()), nobodys);
  make(here / "data", wanted);
  auto f = io::file::open(world(), here / "data", mode::read_write);
  f.set_view(t.displacement(world().rank()), t.view());
  auto const by = [](std::int64_t aggregators) {
    return io::two_phase{.aggregators = aggregators, .align_bytes = 512, .least_domain_bytes = 512};
  };
  bytes got(t.data(0, world().rank()).size());
  for (int round = 0; round < 40; ++round) {
    // Caches bytes on each host: the rank's own part, and that of an aggregator.
    if (round % 2 == 0) f.read_at_all(0, got, by(1 + round % 3));
    f.read_at(0, got);
    bytes const older = t.data(round + 100, world().rank()), mine = t.data(round, world().rank());
    if (round % 4 == 1) f.write_at(0, older);
    if (round % 4 > 1) f.write_at_all(0, older, by(3 - round % 3));
    if (round % 4 == 2)
      f.write_at(0, mine);
    else
      f.write_at_all(0, mine, by(1 + round % 3));
    std::ranges::fill(got, nobodys);
    if (round % 3 == 0)
      f.read_at_all(0, got, by(1 + round % 2));
    else
      f.read_at(0, got);
    CAPTURE(round);
    CHECK(different(got, mine) == 0);
  }
  f.close();
  t.put_all(wanted, 39);
  world().barrier();
  CHECK(different(plainly(here / "data", wanted.size()), wanted) == 0);
  world().barrier();
}

TEST_CASE("in atomic mode what was written is read by all, without sync", "[hosts][atomic]") {
  shared_scratch const here(world());
  std::int64_t const n = world().size();
  make(here / "data", bytes(static_cast<std::size_t>(n * 5000)));
  auto f = io::file::open(world(), here / "data", mode::read_write);
  std::error_code opened, refused;
  bool const late = io::posix::open(here / "data", {.read = true}, opened).storage().reads_late;
  f.set_atomic(true, refused);
  CHECK_FALSE(opened);
  CHECK((refused == io::errc::no_locks) == (late && world().size() > 1));
  if (refused) return f.close();
  for (int round = 0; round < 8; ++round) {
    bytes const mine(5000, value(round, world().rank(), 0));
    f.write_at(world().rank() * 5000, mine);
    world().barrier();
    for (int r = 0; r < n; ++r) {
      bytes got(5000);
      f.read_at(r * 5000, got);
      CAPTURE(round, r);
      CHECK(different(got, bytes(5000, value(round, r, 0))) == 0);
    }
    world().barrier();
  }
  // If ranks write the same bytes at the same time, the result must be that of one rank, not a
  // mixture.
  for (int round = 0; round < 4; ++round) {
    bytes const all_of_it(static_cast<std::size_t>(n * 5000), value(round, world().rank(), 7));
    f.write_at(0, all_of_it);
    world().barrier();
    bytes got(static_cast<std::size_t>(n * 5000));
    f.read_at(0, got);
    CHECK(std::ranges::all_of(got, [&](std::uint8_t b) { return b == got[0]; }));
    CHECK(got[0] != 0);
    world().barrier();
  }
  f.close();
}

TEST_CASE("merged writes of other calls, other aggregators and other ranks keep each other's bytes",
          "[hosts][merging]") {
  shared_scratch const here(world());
  for (mode const m : {mode::read_write, mode::read_write | mode::unique_open}) {
    turns const t{60};
    bytes wanted(static_cast<std::size_t>(t.size()), nobodys);
    make(here / "data", wanted);
    auto f = io::file::open(world(), here / "data", m);
    for (int round = 0; round < 12; ++round) {
      // Only some cycles, from different starts: the aggregators' domains move, and windows have
      // holes.
      turns const now{20, round};
      std::int64_t const first = (round * 7) % 40;
      f.set_view(now.displacement(world().rank()) + first * now.parts() * block, now.view());
      bytes const mine = now.data(round, world().rank());
      if (round % 4 == 3) {  // each rank by itself, at the same time
        f.write_at(0, mine,
                   world().rank() % 2
                       ? io::extend::any_policy(io::independent{})
                       : io::extend::any_policy(io::sieving{.writes = io::sieving_mode::always}));
        world().barrier();
      } else {
        f.write_at_all(0, mine, policy_of(round));
      }
      bytes part(static_cast<std::size_t>(now.size()));
      std::copy_n(wanted.begin() + first * now.parts() * block, now.size(), part.begin());
      now.put_all(part, round);
      std::copy(part.begin(), part.end(), wanted.begin() + first * now.parts() * block);
    }
    f.close();
    world().barrier();
    CAPTURE(static_cast<int>(m));
    CHECK(different(plainly(here / "data", wanted.size()), wanted) == 0);
    world().barrier();
  }
}

// Without sync nothing is promised. The test prints how often the last rank reads stale bytes after
// a barrier.
TEST_CASE("without sync, who sees what", "[hosts][told]") {
  shared_scratch const here(world());
  make(here / "data", bytes(100000));
  auto f = io::file::open(world(), here / "data", mode::read_write);
  int old = 0;
  for (int round = 1; round <= 20; ++round) {
    bytes got(100000);
    f.read_at(0, got);
    world().barrier();
    bytes const now(100000, static_cast<std::uint8_t>(round));
    if (world().rank() == 0) f.write_at(0, now, io::independent{});
    world().barrier();
    f.read_at(0, got);
    old += different(got, now) > 0;
    world().barrier();
  }
  f.close();
  if (world().rank() == world().size() - 1)
    std::printf("without sync, the last rank read old bytes in %d of 20 rounds\n", old);
  SUCCEED();
}
