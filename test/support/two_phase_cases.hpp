// The contract of two_phase and data_shipping, for every world: compared with plain bytes, on
// random layouts, and with failures in any round. Each function is called by all ranks. One page
// because each world must pass the whole contract.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>
#include <argosy/world/communicator.hpp>

#include "catch.hpp"
#include "deal.hpp"
#include "seed.hpp"
#include "shared_scratch.hpp"
#include "unfitting_cases.hpp"

namespace argosy::test {

using namespace extend;

inline any_policy random_policy(engine& random, int ranks) {
  std::int64_t const window =
      pick(random, 0, 4) == 0 ? pick(random, 1, 300) : pick(random, 1000, 100'000);
  std::int64_t const most = pick(random, 0, ranks);
  if (pick(random, 0, 1) == 0)
    return two_phase{.buffer_bytes = 1 << 20,
                     .window_bytes = window,
                     .aggregators = most,
                     .layers = pick(random, 0, 2),
                     .overlap = pick(random, 0, 3) > 0};
  return data_shipping{.stripe_bytes = pick(random, 0, 20'000),
                       .agents = most,
                       .window_bytes = window,
                       .sparse = pick(random, 0, 2) == 0,
                       .overlap = pick(random, 0, 3) > 0};
}

// Returns the policies of these tests, with windows of `window_bytes`.
inline std::vector<any_policy> policies_together(std::int64_t window_bytes) {
  return {two_phase{.window_bytes = window_bytes, .align_bytes = 512},
          data_shipping{.stripe_bytes = 1, .window_bytes = window_bytes},
          data_shipping{.stripe_bytes = 1, .window_bytes = window_bytes, .sparse = true},
          two_phase{.window_bytes = window_bytes, .align_bytes = 512, .layers = 2},
          two_phase{.window_bytes = window_bytes, .align_bytes = 512, .overlap = false}};
}

template <communicator World>
void check_random_transfers(World const& world, int rounds, std::string const& path, opener files) {
  int const rank = world.rank();
  engine random(seed());
  auto f = basic_file<World>::open(world, path, mode::create | mode::read_write, {}, files);
  int together = 0;
  for (int round = 0; round < rounds; ++round) {
    INFO("seed " << seed() << ", round " << round);
    deal const d(random, world.size(), pick(random, 0, 3) == 0, pick(random, 0, 9) == 0);
    bytes const& mine = d.data[static_cast<std::size_t>(rank)];
    any_policy const policy = random_policy(random, world.size());
    fill(f, world, d.before);
    d.set_view(f, rank);
    report r = f.write_at_all(0, mine, policy);
    CHECK(r.bytes == static_cast<std::int64_t>(mine.size()));
    // each rank by itself if none has data
    CHECK(r.policy == (r.rounds > 0 ? policy.name() : "sieving"));
    together += r.rounds > 0 ? 1 : 0;
    CHECK(content_of(f) == d.after);

    // Reads back, up to the end of the file. Memory beyond stays as before.
    std::int64_t const end = d.some_end(random);
    f.set_size(end);
    d.set_view(f, rank);
    bytes back(mine.size(), left_alone);
    r = f.read_at_all(0, back, policy);
    CHECK(back == d.read_back(rank, end));
    CHECK(r.bytes == d.bytes_before(rank, end));
  }
  CHECK(everywhere(world, together > rounds / 2));
  f.close();
}
template <communicator World>
void check_random_transfers(World const& world, int rounds) {
  shared_scratch const dir(world);
  check_random_transfers(world, rounds, dir / "f", posix_opener());
}

// Several ranks write the same bytes to the same place. The file must hold them once, and each of
// these ranks must read them.
template <communicator World>
void check_ghosts(World const& world, int rounds, std::string const& path, opener files) {
  int const rank = world.rank();
  engine random(seed());
  auto f = basic_file<World>::open(world, path, mode::create | mode::read_write, {}, files);
  for (int round = 0; round < rounds; ++round) {
    INFO("seed " << seed() << ", round " << round);
    // multiple of 48, because then few units are cut
    std::int64_t const window = pick(random, 1, 4) * 48;
    deal const d = deal::with_ghosts(random, world.size(), window);
    bytes const& mine = d.data[static_cast<std::size_t>(rank)];
    any_policy const policy =
        pick(random, 0, 3) == 0
            ? any_policy(data_shipping{
                  .stripe_bytes = 1, .window_bytes = window, .sparse = pick(random, 0, 1) == 0})
            : any_policy(two_phase{.window_bytes = window,
                                   .aggregators = pick(random, 0, world.size()),
                                   .align_bytes = window,
                                   .layers = pick(random, 0, 2)});
    fill(f, world, d.before);
    d.set_view(f, rank);
    CHECK(f.write_at_all(0, mine, policy).bytes == static_cast<std::int64_t>(mine.size()));
    CHECK(content_of(f) == d.after);
    std::int64_t const end = d.some_end(random);
    f.set_size(end);
    d.set_view(f, rank);
    bytes back(mine.size(), left_alone);
    CHECK(f.read_at_all(0, back, policy).bytes == d.bytes_before(rank, end));
    CHECK(back == d.read_back(rank, end));
  }
  f.close();
}
template <communicator World>
void check_ghosts(World const& world, int rounds) {
  shared_scratch const dir(world);
  check_ghosts(world, rounds, dir / "f", posix_opener());
}

template <communicator World>
void check_converted_windows(World const& world) {
  int const rank = world.rank(), size = world.size();
  shared_scratch const dir(world);
  auto f = basic_file<World>::open(world, dir / "f", mode::create | mode::read_write);
  auto const mine = vector(500, 1, size, type<double>);
  f.set_view(8 * rank, {type<double>, mine, external32});
  std::vector<double> data(500), back(500);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = rank + 0.25 * static_cast<double>(i);
  for (any_policy const& policy : policies_together(100)) {
    for (double& x : data) x += 1;
    f.write_at_all(0, data, policy);
    f.read_at_all(0, back, policies_together(60)[0]);  // windows cut items
    CHECK(back == data);
    std::fill(back.begin(), back.end(), 0);
    f.read_at_all(0, back, policy);
    CHECK(back == data);
  }
  for (any_policy const& policy : policies_together(100))
    check_values_that_do_not_fit(world, f, policy, true);
  check_values_that_do_not_fit(world, f, independent{}, false);
  check_values_that_do_not_fit(world, f, independent{.buffer_bytes = 50}, false);
  check_values_that_do_not_fit(
      world, f, sieving{.reads = sieving_mode::always, .writes = sieving_mode::always}, false);
  f.close();
}

// The flavours of a collective call. All must obey the same contract.
enum class flavour { at, pointer, ordered, nonblocking, split };
inline constexpr flavour flavours[] = {flavour::at, flavour::pointer, flavour::ordered,
                                       flavour::nonblocking, flavour::split};

template <class File>
report write_as(flavour how, File& f, bytes const& from, any_policy const& policy,
                std::error_code& error) {
  f.seek(0);
  f.seek_shared(0);
  switch (how) {
    case flavour::at:
      return f.write_at_all(0, from, {policy, error});
    case flavour::pointer:
      return f.write_all(from, {policy, error});
    case flavour::ordered:
      return f.write_ordered(from, {policy, error});
    case flavour::nonblocking:
      return f.iwrite_at_all(0, from, policy).wait(error);
    case flavour::split:
      break;
  }
  f.begin_write_all(from, policy);
  return f.end(error);
}
template <class File>
report read_as(flavour how, File& f, bytes& into, any_policy const& policy,
               std::error_code& error) {
  f.seek(0);
  f.seek_shared(0);
  switch (how) {
    case flavour::at:
      return f.read_at_all(0, into, {policy, error});
    case flavour::pointer:
      return f.read_all(into, {policy, error});
    case flavour::ordered:
      return f.read_ordered(into, {policy, error});
    case flavour::nonblocking:
      return f.iread_at_all(0, into, policy).wait(error);
    case flavour::split:
      break;
  }
  f.begin_read_all(into, policy);
  return f.end(error);
}

// A file whose bytes are dealt to the ranks one by one, and a call in which a file call of one
// rank, or of all, fails.
template <communicator World>
struct failing_call {
  static constexpr std::int64_t each = 3000;
  World const& world;
  flavour how;
  int who;  // the rank that fails; -1: all
  std::int64_t window;
  std::size_t which = 0;  // index of the policy

  // The first index of a rank's bytes. In ordered calls each rank's bytes lie behind those of the
  // rank before, and not between them.
  std::int64_t first() const { return how == flavour::ordered ? world.rank() * each : 0; }
  std::int64_t file_bytes() const {
    return each * world.size() * (how == flavour::ordered ? world.size() : 1);
  }
  any_policy policy() const { return policies_together(window)[which]; }
  bool strikes() const { return who < 0 || who == world.rank(); }

  template <class File>
  void prepare(File& f) const {
    fill(f, world, bytes(static_cast<std::size_t>(file_bytes()), std::byte{7}));
    f.set_view(world.rank(), {type<std::byte>, resized(argosy::bytes(1), 0, world.size())});
  }
  // Calls f for each case, with one round and with many. The failure is in the first round, in a
  // middle one, or in the last.
  template <class F>
  static void for_each(World const& world, std::span<flavour const> which_flavours, F&& f) {
    int const step = std::max(1, world.size() / 3);  // skips some of many ranks
    for (flavour const how : which_flavours)
      for (int who = -1; who < world.size(); who += step) {
        for (std::int64_t const call : {1, 2, 5, 6}) f(failing_call{world, how, who, 512}, call);
        f(failing_call{world, how, who, 1 << 20}, 1);
      }
    for (std::size_t which = 1; which <= 4; ++which)
      for (int who = -1; who < world.size(); who += step)
        for (std::int64_t const call : {1, 2, 5})
          f(failing_call{world, flavour::at, who, 512, which}, call);
  }
};

template <communicator World>
void check_failing_writers(World const& world, std::span<flavour const> of = flavours) {
  int const rank = world.rank(), size = world.size();
  shared_scratch const dir(world);
  auto const script = std::make_shared<fault_script>();
  auto f = basic_file<World>::open(world, dir / "f", mode::create | mode::read_write, {},
                                   with_faults(posix_opener(), script));
  failing_call<World>::for_each(world, of, [&](failing_call<World> const& c, std::int64_t call) {
    for (bool const onwards : {false, true}) {
      CAPTURE(c.policy().name(), static_cast<int>(c.how), c.who, c.window, call, onwards);
      script->clear();
      c.prepare(f);
      if (c.strikes())
        script->add(onwards ? fail_from(file_call::write, call, std::errc::no_space_on_device)
                            : fail_at(file_call::write, call, std::errc::no_space_on_device));
      bytes const mine(static_cast<std::size_t>(c.each), static_cast<std::byte>(100 + rank));
      std::error_code error;
      std::int64_t const before = script->struck();
      report const r = write_as(c.how, f, mine, c.policy(), error);
      bool const struck = script->struck() > before, anywhere = !everywhere(world, !struck);
      script->clear();
      if (!anywhere)
        CHECK(!error);
      else
        CHECK(error == (struck ? errc::no_space : errc::error_on_another_rank));

      // Every byte must be old or new. The rank's report must count the new bytes from the first
      // one on.
      bytes const now = content_of(f);
      std::int64_t new_bytes = 0, wrong = 0;
      for (std::int64_t i = 0; i < c.file_bytes() / size; ++i) {
        std::byte const b = now[static_cast<std::size_t>(i * size + rank)];
        bool const is_mine = i >= c.first() && i < c.first() + c.each;
        new_bytes += b == static_cast<std::byte>(100 + rank);
        wrong += b != std::byte{7} && (!is_mine || b != static_cast<std::byte>(100 + rank));
      }
      CHECK(wrong == 0);
      std::int64_t leading = 0;  // new bytes before the first that is missing
      while (leading < c.each &&
             now[static_cast<std::size_t>((c.first() + leading) * size + rank)] != std::byte{7})
        ++leading;
      CHECK(r.bytes == leading);
      if (!anywhere) CHECK(new_bytes == c.each);
      // At most the windows that failed may be missing.
      std::int64_t const lost = sum(world, c.each - new_bytes);
      std::int64_t const failures = sum(world, struck ? 1 : 0);
      // the shared pointer is a file, too, so its write may have failed
      bool const nowhere = c.how == flavour::ordered && lost == c.each * size;
      if (!onwards && !nowhere) CHECK(lost <= failures * c.window);
    }
  });
  // The error text of the system must be part of the message.
  failing_call<World> const c{world, flavour::at, -1, 512};
  c.prepare(f);
  script->add(fail_from(file_call::write, 1, std::errc::no_space_on_device));
  std::error_code error;
  write_as(c.how, f, bytes(static_cast<std::size_t>(c.each)), c.policy(), error);
  CHECK(f.what_failed().find("ENOSPC") != std::string::npos);
  script->clear();
  f.close();
}

template <communicator World>
void check_failing_readers(World const& world, std::span<flavour const> of = flavours) {
  shared_scratch const dir(world);
  auto const script = std::make_shared<fault_script>();
  auto f = basic_file<World>::open(world, dir / "f", mode::create | mode::read_write, {},
                                   with_faults(posix_opener(), script));
  failing_call<World>::for_each(world, of, [&](failing_call<World> const& c, std::int64_t call) {
    CAPTURE(c.policy().name(), static_cast<int>(c.how), c.who, c.window, call);
    script->clear();
    c.prepare(f);
    if (c.strikes()) script->add(fail_at(file_call::read, call, std::errc::io_error));
    bytes into(static_cast<std::size_t>(c.each), std::byte{1});
    std::error_code error;
    std::int64_t const before = script->struck();
    report const r = read_as(c.how, f, into, c.policy(), error);
    bool const struck = script->struck() > before, anywhere = !everywhere(world, !struck);
    if (anywhere)
      CHECK(error == (struck ? errc::io : errc::error_on_another_rank));
    else
      CHECK(!error);
    // The bytes that the report counts must be in memory, from the first one on. Behind them,
    // windows that did not fail must be complete.
    auto const rest = into.begin() + r.bytes;
    CHECK(std::count(into.begin(), rest, std::byte{7}) == r.bytes);
    CHECK(std::count(rest, into.end(), std::byte{7}) + std::count(rest, into.end(), std::byte{1}) ==
          c.each - r.bytes);
    if (!anywhere) CHECK(r.bytes == c.each);
  });
  script->clear();
  f.close();
}

// Several calls are pending. Each rank waits for them in an order of its own, or tests, or makes
// another collective call first.
template <communicator World>
void check_calls_under_way(World const& world) {
  int const rank = world.rank(), size = world.size();
  engine random(seed());
  shared_scratch const dir(world);
  auto f = basic_file<World>::open(world, dir / "f", mode::create | mode::read_write);
  constexpr std::int64_t each = 4000;
  for (int round = 0; round < 10; ++round) {
    INFO("seed " << seed() << ", round " << round);
    bool const unique_order = pick(random, 0, 1) == 0;
    f.set_view(4 * rank, {type<int>, resized(type<int>, 0, 4 * size)});
    f.seek(0);
    auto const calls = static_cast<std::size_t>(pick(random, 1, 5));
    std::vector<std::vector<int>> out(calls), in(calls);
    std::vector<request> writes, reads;
    for (std::size_t c = 0; c < calls; ++c) {
      // equal on all ranks
      auto const count = static_cast<std::size_t>(pick(random, 0, 3) == 0 ? 0 : each);
      out[c].resize(count);
      for (std::size_t i = 0; i < count; ++i)
        out[c][i] = static_cast<int>(i) * size + rank + static_cast<int>(c) * 7;
      if (pick(random, 0, 1) == 0)
        writes.push_back(f.iwrite_all(out[c], two_phase{.window_bytes = 3000}));
      else
        writes.push_back(f.iwrite_at_all(f.position(), out[c])),
            f.seek(static_cast<std::int64_t>(count), seek_from::current);
    }
    CHECK(writes.size() == calls);
    if (pick(random, 0, 2) == 0) f.sync();  // also waits for the writes
    std::vector<std::size_t> order(calls);
    for (std::size_t c = 0; c < calls; ++c) order[c] = c;
    if (!unique_order && rank % 2 == 1) std::reverse(order.begin(), order.end());
    for (std::size_t const c : order) {
      if (rank % 3 == 2)
        while (!writes[c].test()) {
        }
      CHECK(writes[c].wait().bytes == static_cast<std::int64_t>(4 * out[c].size()));
      CHECK_FALSE(writes[c].pending());
    }
    f.seek(0);
    for (std::size_t c = 0; c < calls; ++c) {
      in[c].resize(out[c].size());
      reads.push_back(f.iread_all(in[c]));
    }
    wait_all(reads);
    CHECK(in == out);
  }

  // The wait reports a failure on one rank to all of them. The next call must not be affected.
  std::vector<int> data(each, rank), back(each);
  for (int who = 0; who < size; ++who) {
    request bad = f.iwrite_at_all(who == rank ? -1 : 0, data);
    request good = f.iwrite_at_all(0, data);
    std::error_code error;
    bad.wait(error);
    CHECK(failed_on(world, who, errc::argument, error));
    CHECK(good.wait(error).bytes == 4 * each);
    CHECK_FALSE(error);
  }

  // Split calls.
  f.begin_write_at_all(0, data);
  CHECK_THROWS_AS(f.begin_read_all(back), argosy::error);
  CHECK(f.end().bytes == 4 * each);
  f.seek_shared(0);
  f.begin_write_ordered(data);
  f.end();
  CHECK(f.position_shared() == size * each);
  f.seek_shared(0);
  f.begin_read_ordered(back);
  std::error_code error;
  CHECK(f.end(error).bytes == 4 * each);
  CHECK_FALSE(error);
  CHECK(back == data);
  CHECK_THROWS_AS(f.end(), argosy::error);  // no call has begun

  // A request that is dropped continues, and is complete when the file is closed.
  std::fill(data.begin(), data.end(), 1000 + rank);
  f.iwrite_at_all(0, data);
  f.close();
  f = basic_file<World>::open(world, dir / "f", mode::read);
  f.set_view(4 * rank, {type<int>, resized(type<int>, 0, 4 * size)});
  f.read_at_all(0, back);
  CHECK(back == data);
  f.close();
  CHECK_THROWS_AS(f.iread_all(back).wait(), argosy::error);
}

}  // namespace argosy::test
