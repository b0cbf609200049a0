// Collective reads and writes through aggregators: against plain bytes, on random layouts, and with failures in any round.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/layout/marks.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/catch.hpp"
#include "support/file_cases.hpp"
#include "support/random_tree.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

using bytes = std::vector<std::byte>;

bool everywhere(boost::mpi::communicator const& world, bool here) {
  return boost::mpi::all_reduce(world, here ? 1 : 0, boost::mpi::minimum<int>()) == 1;
}

// A file dealt to the ranks at random, unit by unit: what lies where, and what each rank brings. The same on every rank.
struct deal {
  std::int64_t unit, slots, displacement;
  std::vector<std::vector<std::int64_t>> offsets;  // of each rank's units, from the displacement on
  bytes before, after;
  std::vector<bytes> data;

  deal(engine& random, int ranks, bool holes, bool overlap) {
    unit = pick(random, 0, 2) == 0 ? 1 : pick(random, 1, 40);
    slots = pick(random, 1, 4000);
    displacement = pick(random, 0, 3) == 0 ? pick(random, 0, 100) : 0;
    std::int64_t const longest = pick(random, 1, 30);
    offsets.resize(static_cast<std::size_t>(ranks));
    for (std::int64_t s = 0; s < slots;) {
      auto const who = static_cast<std::size_t>(pick(random, 0, ranks - (holes ? 0 : 1)));
      for (std::int64_t n = pick(random, 1, longest); n > 0 && s < slots; --n, ++s)
        if (who < offsets.size()) offsets[who].push_back(s * unit);
    }
    if (pick(random, 0, 9) == 0) offsets[static_cast<std::size_t>(pick(random, 0, ranks - 1))].clear();
    if (overlap && ranks > 1) offsets[1] = offsets[0];  // two ranks write the same bytes
    before.resize(static_cast<std::size_t>(slots * unit + displacement + pick(random, 0, 50)));
    for (std::byte& b : before) b = static_cast<std::byte>(random());
    after = before;
    data.resize(offsets.size());
    for (std::size_t r = 0; r < data.size(); ++r) {
      bool const copies = overlap && r == 1;
      for (std::int64_t const offset : offsets[r])
        for (std::int64_t b = 0; b < unit; ++b) {
          std::byte& place = after[static_cast<std::size_t>(displacement + offset + b)];
          if (!copies) place = static_cast<std::byte>(random());
          data[r].push_back(place);
        }
    }
  }
  std::int64_t tile() const { return std::max<std::int64_t>(1, slots * unit); }
  void set_view(io::file& f, int rank) const {
    f.set_view(displacement, io::contiguous(unit, io::type<std::byte>),
               io::resized(io::table(offsets[static_cast<std::size_t>(rank)], unit), 0, tile()));
  }
};

void fill(io::file& f, boost::mpi::communicator const& world, bytes const& content) {
  f.set_view(0, io::bytes(1));
  f.set_size(0);
  if (world.rank() == 0) f.write_at(0, content);
  world.barrier();
}
bytes content_of(io::file& f) {
  f.set_view(0, io::bytes(1));
  bytes all(static_cast<std::size_t>(f.size()));
  f.read_at(0, all);
  return all;
}

io::two_phase random_policy(engine& random, int ranks) {
  return {.buffer_bytes = 1 << 20,
          .window_bytes = pick(random, 0, 4) == 0 ? pick(random, 1, 300) : pick(random, 1000, 100'000),
          .aggregators = pick(random, 0, ranks)};
}

}  // namespace

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
    std::vector<std::uint64_t> words(static_cast<std::size_t>(io::marks::words_for(bits)));
    io::marks marks(words);
    marks.set(l, from, to, 0, granule);
    std::vector<bool> hoped(static_cast<std::size_t>(bits));
    std::int64_t position = 0;
    for (io::cursor at(l); !at.done(); at.next())
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
      io::access_summary all;
      all.low = low;
      all.high = low + 10'007;
      all.bytes = 10'007;
      all.ranks = 3;
      all.granule = 1;
      io::collective_plan const p = io::two_phase{.window_bytes = window, .aggregators = 3}.plan(
          io::access_kind::write, all, {.size = 5, .nodes = 1, .block_bytes = 512});
      REQUIRE(p.together);
      std::int64_t at = low;
      for (io::file_domain const& d : p.domains) {
        for (std::int64_t k = 0; k < p.rounds_of(d); ++k) {
          io::file_window const w = p.window_of(d, k);
          CHECK(w.begin == at);
          CHECK(w.length() <= p.window_bytes);
          at = w.end;
        }
        CHECK(at == d.end);
      }
      CHECK(at == all.high);
    }
}

TEST_CASE("what ranks write together is what each of them wrote, and nothing else", "[two_phase][random]") {
  boost::mpi::communicator const world;
  int const rank = world.rank();
  engine random(seed());
  io::mpi const ranks(world);
  shared_scratch const dir(ranks);
  auto f = io::file::open(world, dir / "f", io::mode::create | io::mode::read_write);
  int together = 0;
  for (int round = 0; round < 60; ++round) {
    INFO("seed " << seed() << ", round " << round);
    deal const d(random, world.size(), pick(random, 0, 3) == 0, pick(random, 0, 9) == 0);
    bytes const& mine = d.data[static_cast<std::size_t>(rank)];
    io::two_phase const policy = random_policy(random, world.size());
    fill(f, world, d.before);
    d.set_view(f, rank);
    io::report r = f.write_at_all(0, mine, policy);
    CHECK(r.bytes == static_cast<std::int64_t>(mine.size()));
    CHECK(r.policy == (r.rounds > 0 ? "two_phase" : "sieving"));  // alone if nobody has anything
    together += r.rounds > 0 ? 1 : 0;
    CHECK(content_of(f) == d.after);

    // And back, up to where the file ends; memory beyond is as before.
    auto const end =
        static_cast<std::size_t>(pick(random, 0, 1) == 0 ? static_cast<std::int64_t>(d.after.size())
                                                         : pick(random, 0, static_cast<std::int64_t>(d.after.size())));
    f.set_size(static_cast<std::int64_t>(end));
    d.set_view(f, rank);
    bytes back(mine.size(), std::byte{0xee}), hoped = back;
    std::int64_t there = 0;
    for (std::size_t i = 0; i < d.offsets[static_cast<std::size_t>(rank)].size(); ++i)
      for (std::int64_t b = 0; b < d.unit; ++b) {
        auto const k = i * static_cast<std::size_t>(d.unit) + static_cast<std::size_t>(b);
        if (static_cast<std::size_t>(d.displacement + d.offsets[static_cast<std::size_t>(rank)][i] + b) >= end)
          continue;
        hoped[k] = mine[k];
        ++there;
      }
    r = f.read_at_all(0, back, policy);
    CHECK(back == hoped);
    CHECK(r.bytes == there);
  }
  CHECK(everywhere(world, together > 40));
  f.close();
}

TEST_CASE("external32 goes through windows, too", "[two_phase][representation]") {
  boost::mpi::communicator const world;
  int const rank = world.rank(), size = world.size();
  io::mpi const ranks(world);
  shared_scratch const dir(ranks);
  auto f = io::file::open(world, dir / "f", io::mode::create | io::mode::read_write);
  auto const mine = io::vector(500, 1, size, io::type<double>);
  f.set_view(8 * rank, io::type<double>, mine, io::external32);
  std::vector<double> data(500), back(500);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = rank + 0.25 * static_cast<double>(i);
  f.write_at_all(0, data, io::two_phase{.window_bytes = 100});
  f.read_at_all(0, back, io::two_phase{.window_bytes = 60});  // items are cut by windows
  CHECK(back == data);
  f.close();
}

TEST_CASE("policies that differ between ranks are found before anything is written", "[two_phase][errors]") {
  boost::mpi::communicator const world;
  if (world.size() == 1) return;
  io::mpi const ranks(world);
  shared_scratch const dir(ranks);
  auto f = io::file::open(world, dir / "f", io::mode::create | io::mode::read_write);
  std::vector<int> const data(100, 1);
  std::error_code error;
  f.write_at_all(world.rank() * 100, data, io::two_phase{.window_bytes = 64 + world.rank()}, error);
  CHECK(error == io::errc::not_same);
  CHECK(f.size() == 0);
  f.close();
}

TEST_CASE("an aggregator that cannot write goes on; windows that did not fail are complete", "[two_phase][errors]") {
  boost::mpi::communicator const world;
  int const rank = world.rank(), size = world.size();
  io::mpi const ranks(world);
  shared_scratch const dir(ranks);
  constexpr std::int64_t each = 3000, window = 512;
  for (int who = -1; who < size; ++who)  // -1: all of them
    for (std::int64_t const call : {1, 2, 5})
      for (bool const onwards : {false, true}) {
        CAPTURE(who, call, onwards);
        bool const strikes = who < 0 || who == rank;
        auto const script = std::make_shared<io::fault_script>();
        auto f = io::file::open(world, dir / "f", io::mode::create | io::mode::read_write, {},
                                io::with_faults(io::posix_opener(), script));
        fill(f, world, bytes(static_cast<std::size_t>(each * size), std::byte{7}));
        f.set_view(rank, io::type<std::byte>, io::resized(io::bytes(1), 0, size));
        script->clear();
        if (strikes)
          script->add(onwards ? io::fail_from(io::file_call::write, call, std::errc::no_space_on_device)
                              : io::fail_at(io::file_call::write, call, std::errc::no_space_on_device));
        bytes const mine(static_cast<std::size_t>(each), static_cast<std::byte>(100 + rank));
        std::error_code error;
        io::report const r = f.write_at_all(0, mine, io::two_phase{.window_bytes = window}, error);
        bool const struck = script->struck() > 0, anywhere = !everywhere(world, !struck);
        script->clear();
        if (!anywhere)
          CHECK(!error);
        else
          CHECK(error == (struck ? io::errc::no_space : io::errc::error_on_another_rank));
        if (anywhere) CHECK(f.what_failed().find("ENOSPC") != std::string::npos);

        // Every byte is old or new; what this rank's report counts is new.
        bytes const now = content_of(f);
        std::int64_t new_bytes = 0, wrong = 0;
        for (std::int64_t i = 0; i < each; ++i) {
          std::byte const b = now[static_cast<std::size_t>(i * size + rank)];
          new_bytes += b == static_cast<std::byte>(100 + rank);
          wrong += b != static_cast<std::byte>(100 + rank) && b != std::byte{7};
        }
        CHECK(wrong == 0);
        CHECK(r.bytes <= new_bytes);
        if (!anywhere) CHECK(new_bytes == each);
        // At most the windows that failed are missing.
        std::int64_t const lost = boost::mpi::all_reduce(world, each - new_bytes, std::plus<std::int64_t>());
        std::int64_t const failures =
            boost::mpi::all_reduce(world, struck ? std::int64_t{1} : 0, std::plus<std::int64_t>());
        if (!onwards) CHECK(lost <= failures * window);
        f.close();
      }
}

TEST_CASE("an aggregator that cannot read goes on", "[two_phase][errors]") {
  boost::mpi::communicator const world;
  int const rank = world.rank(), size = world.size();
  io::mpi const ranks(world);
  shared_scratch const dir(ranks);
  constexpr std::int64_t each = 3000;
  for (int who = 0; who < size; ++who)
    for (std::int64_t const call : {1, 3}) {
      CAPTURE(who, call);
      auto const script = std::make_shared<io::fault_script>();
      auto f = io::file::open(world, dir / "f", io::mode::create | io::mode::read_write, {},
                              io::with_faults(io::posix_opener(), script));
      fill(f, world, bytes(static_cast<std::size_t>(each * size), std::byte{7}));
      f.set_view(rank, io::type<std::byte>, io::resized(io::bytes(1), 0, size));
      script->clear();
      if (who == rank) script->add(io::fail_at(io::file_call::read, call, std::errc::io_error));
      bytes into(static_cast<std::size_t>(each), std::byte{1});
      std::error_code error;
      io::report const r = f.read_at_all(0, into, io::two_phase{.window_bytes = 512}, error);
      bool const struck = script->struck() > 0, anywhere = !everywhere(world, !struck);
      if (anywhere)
        CHECK(error == (struck ? io::errc::io : io::errc::error_on_another_rank));
      else
        CHECK(!error);
      CHECK(r.bytes == std::count(into.begin(), into.end(), std::byte{7}));
      CHECK(std::count(into.begin(), into.end(), std::byte{1}) == each - r.bytes);
      f.close();
    }
}

TEST_CASE("the choice between together and alone is by price, and says so", "[automatic]") {
  io::access_summary all;
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
  io::rank_group const ranks{.size = 4, .nodes = 1, .block_bytes = 4096};
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
}
