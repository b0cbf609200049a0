// Nodes that cache reads and write later. Every rank must find what it wrote, whichever rank wrote
// it to the file, and no bytes may be lost. One page because all cases run on the same nodes with
// caches.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <argosy/agree/detail/ranks_with.hpp>
#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/policy.hpp>

#include "lab/cluster/virtual_files_cases.hpp"
#include "support/caching_client.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

// Blocks in turn: one of every rank, then one that no rank writes.
struct dealt {
  int ranks = 0;
  std::int64_t block = 0, cycles = 0;
  std::int64_t size() const { return cycles * (ranks + 1) * block; }
  std::int64_t place(int rank, std::int64_t at) const {
    return (at / block * (ranks + 1) + rank) * block + at % block;
  }
};

std::byte value(std::int64_t round, int rank, std::int64_t at) {
  return static_cast<std::byte>(1 + (round * 31 + rank * 13 + at) % 200);
}

io::extend::any_policy any_together(engine& random) {
  switch (pick(random, 0, 4)) {
    case 0:
      return io::independent{};
    case 1:
      return io::automatic{};
    case 2:
      return io::sieving{.writes = io::sieving_mode::always};
    default:
      return io::two_phase{.buffer_bytes = 512 << pick(random, 0, 3),
                           .aggregators = pick(random, 0, 4),
                           .align_bytes = 1 << pick(random, 5, 8),
                           .least_domain_bytes = 64};
  }
}

// Returns the place of the first difference, or -1 if there is none.
std::int64_t difference(bytes const& got, bytes const& wanted) {
  auto const [at, there] = std::ranges::mismatch(got, wanted);
  return at == got.end() && there == wanted.end() ? -1 : at - got.begin();
}

// Makes random calls on a file, the same on all ranks, and closes it. Checks what is read, and the
// file at the end.
void use(io::lab::virtual_rank const& world, dealt const& d, std::uint64_t seed,
         io::lab::virtual_files const& files, std::shared_ptr<kept_files> const& clients,
         int per_node) {
  engine random(seed);
  io::hints h;
  if (one_in(random, 3))
    h.ds_write = one_in(random, 2) ? io::tristate::enable : io::tristate::automatic;
  if (one_in(random, 3)) h.named.push_back({"argosy_progress", "in_calls"});
  if (one_in(random, 2)) h.named.push_back({"IBM_largeblock_io", "false"});
  io::mode const unique = one_in(random, 4) ? io::mode::unique_open : io::mode::none;
  auto f = virtual_file::open(world, "f", create | unique, h,
                              caching(files.opener(), clients, world.rank() / per_node));
  bytes all(static_cast<std::size_t>(d.size()));
  auto const put = [&](std::int64_t round, int rank, std::int64_t from, std::int64_t n) {
    for (std::int64_t at = from; at < from + n; ++at)
      all[static_cast<std::size_t>(d.place(rank, at))] = value(round, rank, at);
  };
  f.set_size(d.size());
  int mine = world.rank();  // the rank whose blocks this rank has
  auto const deal = [&] {
    f.set_view(mine * d.block,
               {io::type<std::byte>, io::resized(io::bytes(d.block), 0, (d.ranks + 1) * d.block)});
  };
  deal();
  std::int64_t const each = d.cycles * d.block;
  for (int round = 0; round < 30; ++round) {
    CAPTURE(seed, round, world.rank(), d.ranks, per_node, d.block, d.cycles, clients->writes_pages);
    std::int64_t const from = pick(random, 0, each - 1), n = pick(random, 1, each - from);
    std::int64_t const what = pick(random, 0, 14);
    io::extend::any_policy const by = any_together(random);
    bytes data(static_cast<std::size_t>(n));
    auto const fill = [&](int rank) {
      for (std::int64_t i = 0; i < n; ++i)
        data[static_cast<std::size_t>(i)] = value(round, rank, from + i);
    };
    fill(mine);
    if (what < 3) {
      f.write_at_all(from, data, by);
    } else if (what == 3) {
      f.write_at(from, data);
    } else if (what == 4) {
      f.write_at(from, data,
                 world.rank() % 2
                     ? io::extend::any_policy(io::sieving{.writes = io::sieving_mode::always})
                     : io::extend::any_policy(io::independent{}));
    } else if (what == 5) {
      auto request = f.iwrite_at_all(from, data, by);
      bytes before(static_cast<std::size_t>(from));
      for (std::int64_t i = 0; i < from; ++i)
        before[static_cast<std::size_t>(i)] = value(round, mine, i);
      f.write_at(0, before);
      request.wait();
      for (int r = 0; r < d.ranks; ++r) put(round, r, 0, from);
    } else if (what < 8) {
      bytes got(data.size()), wanted(data.size());
      what == 6 ? f.read_at_all(from, got, by) : f.read_at(from, got);
      for (std::int64_t i = 0; i < n; ++i)
        wanted[static_cast<std::size_t>(i)] =
            all[static_cast<std::size_t>(d.place(mine, from + i))];
      if (!clients->reads_late) REQUIRE(difference(got, wanted) == -1);
    } else if (what == 8) {
      std::int64_t const less = pick(random, 0, d.size());
      f.set_size(less);
      f.set_size(d.size());
      std::fill(all.begin() + less, all.end(), std::byte{0});
    } else if (what == 9) {
      f.set_hints({.ds_write = one_in(random, 2) ? io::tristate::enable : io::tristate::disable});
    } else if (what == 10) {  // the ranks' data one behind the other, over blocks of other ranks
      std::int64_t const at = pick(random, 0, d.size() - 1), most = (d.size() - at) / d.ranks;
      std::int64_t const length = pick(random, 0, std::min<std::int64_t>(most, n));
      f.set_view(0, io::type<std::byte>);
      f.seek_shared(at);
      if (one_in(random, 2)) {
        f.write_ordered(std::span(data).first(static_cast<std::size_t>(length)), by);
        bytes got(static_cast<std::size_t>(length));
        f.read_at(at + world.rank() * length, got);
        if (!clients->reads_late)
          REQUIRE(difference(got, bytes(data.begin(), data.begin() + length)) == -1);
        for (int r = 0; r < d.ranks; ++r)
          for (std::int64_t i = 0; i < length; ++i)
            all[static_cast<std::size_t>(at + r * length + i)] =
                value(round, (r + mine - world.rank() + d.ranks) % d.ranks, from + i);
      } else {  // the order is open, so all ranks write the same
        bytes const same(static_cast<std::size_t>(length), value(round, 0, 0));
        f.write_shared(same);
        world.barrier();
        REQUIRE(f.position_shared() == at + d.ranks * length);
        world.barrier();
        std::fill_n(all.begin() + at, d.ranks * length, value(round, 0, 0));
      }
      deal();
      // Some ranks write alone, or through agents; then a collective read carries these blocks for
      // all ranks.
    } else if (what == 11) {
      bytes got(data.size()), again(data.size()), whole(static_cast<std::size_t>(each));
      if (one_in(random, 2)) f.read_at_all(from, again, by);
      bool const acts = (world.rank() + round) % 2 == 0, beside = one_in(random, 2);
      if (acts) f.write_at(from, data, io::independent{});
      if (beside) {
        auto request = f.iread_at(0, whole, io::independent{});
        f.read_at_all(from, again, by);
        request.wait();
        got.assign(whole.begin() + from, whole.begin() + from + n);
      } else {
        if (acts) f.read_at(from, got);
        f.read_at_all(from, again, by);
        if (!acts) got = again;
      }
      for (int r = 0; r < d.ranks; ++r)
        if ((r + round) % 2 == 0)
          put(round, (r + mine - world.rank() + d.ranks) % d.ranks, from, n);
      for (std::int64_t i = 0; i < n; ++i)
        data[static_cast<std::size_t>(i)] = all[static_cast<std::size_t>(d.place(mine, from + i))];
      if (!clients->reads_late)
        REQUIRE((difference(got, data) == -1 && difference(again, data) == -1));
    } else if (what == 12) {  // atomic mode works without sync
      std::error_code refused;
      f.set_atomic(true, refused);
      REQUIRE((refused == io::errc::no_locks) == (clients->reads_late && per_node < d.ranks));
      bool const writes = one_in(random, 2);
      if (writes) {
        f.write_at_all(from, data, by);
        for (int r = 0; r < d.ranks; ++r) put(round, r, from, n);
      }
      world.barrier();
      if (!refused) {
        f.set_view(0, io::type<std::byte>);
        bytes got(all.size());
        f.read_at(0, got);
        REQUIRE(difference(got, all) == -1);
        world.barrier();
        deal();
      }
      f.set_atomic(false);
    } else {  // makes everything visible to all ranks, and deals the blocks anew
      f.sync();
      world.barrier();
      f.sync();
      f.set_view(0, io::type<std::byte>);
      bytes got(all.size());
      one_in(random, 2) ? f.read_at_all(0, got, by) : f.read_at(0, got);
      if (!clients->reads_late) REQUIRE(difference(got, all) == -1);
      world.barrier();
      mine = (mine + 1) % d.ranks;
      deal();
    }
    if (what < 6)
      for (int r = 0; r < d.ranks; ++r) put(round, r, from, n);
  }
  f.close();
  CAPTURE(seed, d.ranks, per_node, d.block, d.cycles, clients->writes_pages, clients->reads_late);
  if (world.rank() == 0) REQUIRE(difference(files.content("f"), all) == -1);
}

// Checks that errors of late writes reach all ranks.
void fail(io::lab::virtual_rank const& world, dealt const& d, std::uint64_t seed,
          io::lab::virtual_files const& files, std::shared_ptr<kept_files> const& clients,
          bool& good) {
  engine random(seed);
  std::error_code e, closed;
  bool well = true;
  auto f =
      virtual_file::open(world, "f", create, e, caching(files.opener(), clients, world.rank()));
  if (e) return;
  f.set_view(world.rank() * d.block,
             {io::type<std::byte>, io::resized(io::bytes(d.block), 0, (d.ranks + 1) * d.block)});
  bytes data(static_cast<std::size_t>(d.cycles * d.block));
  for (int round = 0; round < 6; ++round) {
    CAPTURE(seed, round, world.rank());
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = value(round, world.rank(), static_cast<std::int64_t>(i));
    bool const together = !one_in(random, 3);
    io::extend::any_policy const by = any_together(random);
    if (together)
      f.write_at_all(0, data, {by, e});
    else
      f.write_at(0, data, e);
    well = well && !e;
    int const failed = io::detail::ranks_where(world, static_cast<bool>(e)).count;
    if (together) CHECK((failed == 0 || failed == d.ranks));
  }
  f.sync(e);
  well = well && !e;
  f.close(closed);
  if (!well || closed) good = false;
}

}  // namespace

TEST_CASE("where nodes have caches of their own, each rank finds what it wrote",
          "[virtual][caches]") {
  constexpr std::uint64_t rounds = sanitized ? 100 : 300;
  for (std::uint64_t number = seed(); number < seed() + rounds; ++number) {
    engine random(number);
    auto const clients = std::make_shared<kept_files>();
    clients->random.seed(number);
    clients->writes_pages = one_in(random, 3);
    clients->reads_late = !clients->writes_pages && one_in(random, 3);
    int const ranks = static_cast<int>(pick(random, 2, 6)),
              per_node = static_cast<int>(pick(random, 1, 3));
    dealt const d{ranks, pick(random, 1, 200), pick(random, 1, 12)};
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = per_node, .seed = number}, roomy)
        .run([&](io::lab::virtual_rank const& world) {
          use(world, d, number, files, clients, per_node);
        });
  }
}

TEST_CASE("atomic mode is refused where nodes read late, also to those who only read",
          "[virtual][caches]") {
  auto const clients = std::make_shared<kept_files>();
  clients->reads_late = true;
  io::lab::virtual_files const files;
  for (int per_node : {1, 2})
    io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = per_node}, roomy)
        .run([&](io::lab::virtual_rank const& world) {
          auto const nodes = caching(files.opener(), clients, world.rank() / per_node);
          virtual_file::open(world, "f", create, {}, nodes).close();
          auto f = virtual_file::open(world, "f", io::mode::read, {}, nodes);
          std::error_code refused;
          f.set_atomic(true, refused);
          CHECK((refused == io::errc::no_locks) == (per_node == 1));
          f.close();
        });
}

// A request keeps reading, and caches pages, while another node still writes out its cache.
TEST_CASE("what requests read beside a collective read is not taken for new", "[virtual][caches]") {
  dealt const d{2, 50, 100};
  for (std::uint64_t number = seed(); number < seed() + 50; ++number) {
    auto const clients = std::make_shared<kept_files>();
    clients->random.seed(number);
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1, .seed = number}, roomy)
        .run([&](io::lab::virtual_rank const& world) {
          auto f =
              virtual_file::open(world, "f", create, io::hints{.ds_write = io::tristate::disable},
                                 caching(files.opener(), clients, world.rank()));
          f.set_size(d.size());
          f.set_view(
              world.rank() * d.block,
              {io::type<std::byte>, io::resized(io::bytes(d.block), 0, (d.ranks + 1) * d.block)});
          bytes data(static_cast<std::size_t>(d.cycles * d.block), value(0, world.rank(), 0)),
              got(data.size());
          bytes before(data.size() / 2);  // the second half, which rank 1 writes last
          if (world.rank() == 1) f.write_at(0, data, io::independent{});
          world.barrier();
          auto request = f.iread_at(std::ssize(before), before, io::independent{});
          // set_hints() reconciles as well
          if (number % 2 == 0) f.set_hints({.ds_write = io::tristate::disable});
          f.read_at_all(0, got, io::two_phase{.aggregators = 1});
          request.wait();
          CAPTURE(number, world.rank());
          if (world.rank() == 1) CHECK(difference(got, data) == -1);
          f.close();
        });
  }
}

// An aggregator writes back what it read between the ranks' pieces, and its node may have cached
// these bytes before.
TEST_CASE("what a rank writes by itself after a collective write began is not written over",
          "[virtual][caches]") {
  for (std::uint64_t number = seed(); number < seed() + 100; ++number) {
    engine random(number);
    auto const clients = std::make_shared<kept_files>();
    clients->random.seed(number);
    clients->writes_pages = one_in(random, 3);
    clients->locks_refresh = one_in(random, 2);
    std::int64_t const block = pick(random, 20, 200), from = pick(random, 0, block - 10);
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1, .seed = number}, roomy)
        .run([&](io::lab::virtual_rank const& world) {
          auto f =
              virtual_file::open(world, "f", create, io::hints{.ds_write = io::tristate::enable},
                                 caching(files.opener(), clients, world.rank()));
          bytes all(static_cast<std::size_t>(4 * block)), old(all);
          if (world.rank() == 0) f.write_at(0, old);
          // after this, all ranks see what was written alone
          f.read_at_all(0, old, io::two_phase{.aggregators = 1});
          f.read_at(0, old);
          world.barrier();
          bytes const mine(static_cast<std::size_t>(block), value(1, world.rank(), 0)),
              alone(10, value(2, 1, 0));
          auto request =
              f.iwrite_at_all(2 * block * world.rank(), mine, io::two_phase{.aggregators = 1});
          // sometimes the write reaches the file at once
          if (world.rank() == 1) f.write_at(block + from, alone);
          world.barrier();
          request.wait();
          f.sync();
          f.read_at(0, all);
          CAPTURE(number, world.rank());
          CHECK(std::equal(alone.begin(), alone.end(), all.begin() + block + from));
          f.close();
        });
  }
}

TEST_CASE("a seek to the end of the file tells what was to be there, and could not be written",
          "[virtual][caches][faults]") {
  int late = 0;
  for (std::uint64_t number = seed(); number < seed() + 40; ++number) {
    int const who = static_cast<int>(number % 2);
    auto const clients = std::make_shared<kept_files>();
    clients->random.seed(number);
    io::lab::virtual_files const files;
    io::lab::scenario s{.ranks = 2, .ranks_per_node = 1, .seed = number};
    s.faults = {{who, io::fail_at(io::file_call::write, 1, std::errc::no_space_on_device)}};
    io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
      auto f = virtual_file::open(world, "f", create, {},
                                  caching(files.opener(), clients, world.rank()));
      bytes const data(100, std::byte{7});
      std::error_code at_once, e;
      f.write_at(100 * world.rank(), data, at_once);
      CHECK((!at_once || world.rank() == who));
      f.seek_shared(0, io::seek_from::end, e);
      CAPTURE(number, world.rank(), at_once.message(), e.message());
      if (world.rank() == who && !at_once) {
        ++late;
        CHECK(e == io::errc::no_space);
      }
      CHECK((!e ||
             e == (world.rank() == who ? io::errc::no_space : io::errc::error_on_another_rank)));
      f.close(e);
    });
  }
  CHECK(late > 20);
}

TEST_CASE("what a node could not write later is told, to all ranks in a collective call",
          "[virtual][caches][faults]") {
  int told = 0;
  for (std::uint64_t number = seed(); number < seed() + 200; ++number) {
    engine random(number);
    auto const clients = std::make_shared<kept_files>();
    clients->random.seed(number);
    clients->writes_pages = one_in(random, 3);
    dealt const d{static_cast<int>(pick(random, 2, 4)), pick(random, 1, 200), pick(random, 1, 12)};
    io::lab::virtual_files const files;
    io::lab::scenario s{.ranks = d.ranks, .ranks_per_node = 1, .seed = number};
    int const who = static_cast<int>(pick(random, 0, d.ranks - 1)),
              first = static_cast<int>(pick(random, 1, 20));
    s.faults = {{who, io::fail_at(io::file_call::write, first, std::errc::no_space_on_device)}};
    bool good = true;
    io::lab::virtual_cluster(s, roomy).run(
        [&](io::lab::virtual_rank const& world) { fail(world, d, number, files, clients, good); });
    if (!good) ++told;
    if (!good) continue;
    bytes all(static_cast<std::size_t>(d.size()));
    for (int r = 0; r < d.ranks; ++r)
      for (std::int64_t at = 0; at < d.cycles * d.block; ++at)
        all[static_cast<std::size_t>(d.place(r, at))] = value(5, r, at);
    all.resize(static_cast<std::size_t>(d.place(d.ranks - 1, d.cycles * d.block - 1) + 1));
    CAPTURE(number);
    REQUIRE(difference(files.content("f"), all) == -1);
  }
  CHECK(told > 50);
}
