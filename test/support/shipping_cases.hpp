// The contract of agents, for every world that can serve. Each function is called by all ranks.
// `files` opens `path` for all ranks. One page because each world must pass the whole contract.
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
#include <argosy/world/service.hpp>

#include "catch.hpp"
#include "two_phase_cases.hpp"

namespace argosy::test {

using namespace extend;

inline hints with_agents() { return {.largeblock_io = largeblock::off}; }

inline data_shipping random_shipping(engine& random, int ranks) {
  return {
      .stripe_bytes = pick(random, 0, 3) == 0 ? pick(random, 1, 50'000) : 1,
      .agents = pick(random, 0, ranks),
      .window_bytes = pick(random, 0, 3) == 0 ? pick(random, 50, 700) : pick(random, 1000, 100'000),
      .buffers = pick(random, 1, 3),
      .sparse = pick(random, 0, 3) == 0,
      .max_ranges = pick(random, 0, 8)};
}

// Each rank transfers by itself, blocking or not, with a policy of its own. The file must hold the
// data of all ranks.
template <serving World>
void check_shipped_transfers(World const& world, std::string const& path, opener files,
                             int rounds) {
  int const rank = world.rank();
  engine random(seed()), own(seed() + 1 + static_cast<unsigned>(rank));
  auto f =
      basic_file<World>::open(world, path, mode::create | mode::read_write, with_agents(), files);
  for (int round = 0; round < rounds; ++round) {
    INFO("seed " << seed() << ", round " << round << ", rank " << rank);
    deal const d(random, world.size(), pick(random, 0, 3) == 0, pick(random, 0, 9) == 0);
    bytes const& mine = d.data[static_cast<std::size_t>(rank)];
    bool const same = pick(random, 0, 3) > 0;  // windows coincide only if stripes are equal
    data_shipping const common = random_shipping(random, world.size());
    any_policy const policy = same ? common : random_shipping(own, world.size());
    fill(f, world, d.before);
    d.set_view(f, rank);
    auto const whole = static_cast<std::int64_t>(mine.size()) / d.unit, half = whole / 2;
    report r;
    if (pick(own, 0, 1) == 0) {
      r = f.write_at(0, mine, policy);
    } else {
      auto const cut = static_cast<std::size_t>(half * d.unit);
      bytes const first(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(cut)),
          second(mine.begin() + static_cast<std::ptrdiff_t>(cut), mine.end());
      request a = f.iwrite_at(0, first, policy), b = f.iwrite_at(half, second, policy);
      r = b.wait();
      r.bytes += a.wait().bytes;
    }
    CHECK(r.bytes == static_cast<std::int64_t>(mine.size()));
    if (whole > 0) CHECK(r.policy == "data_shipping");
    world.barrier();
    CHECK(content_of(f) == d.after);

    std::int64_t const end = d.some_end(random);
    f.set_size(end);
    d.set_view(f, rank);
    bytes back(mine.size(), left_alone);
    r = pick(own, 0, 1) == 0 ? f.read_at(0, back, policy) : f.iread_at(0, back, policy).wait();
    CHECK(back == d.read_back(rank, end));
    CHECK(r.bytes == d.bytes_before(rank, end));
    world.barrier();
  }
  f.close();
}

// All ranks read and write their own parts at the same time. Agents receive requests of both kinds
// at once, and in some rounds some ranks use the file without agents. Data that was written must
// never go back to the content from before.
template <serving World>
void check_shipped_mixture(World const& world, std::string const& path, opener files, mode more,
                           int rounds) {
  int const rank = world.rank();
  engine random(seed()), own(seed() + 1 + static_cast<unsigned>(rank));
  auto f = basic_file<World>::open(world, path, mode::create | mode::read_write | more,
                                   with_agents(), files);
  for (int round = 0; round < rounds; ++round) {
    INFO("seed " << seed() << ", round " << round << ", rank " << rank);
    deal const d(random, world.size(), pick(random, 0, 1) == 0, false);
    data_shipping shipped = random_shipping(random, world.size());
    if (pick(random, 0, 1) == 0) shipped.agents = 1;  // one agent gets all requests
    bool const alone = pick(random, 0, 1) == 0;
    f.set_hints({.ds_write = pick(random, 0, 1) == 0 ? tristate::enable : tristate::automatic});
    fill(f, world, d.before);
    d.set_view(f, rank);
    bytes mine = d.of(rank, d.before);
    auto const whole = static_cast<std::int64_t>(mine.size()) / d.unit;
    world.barrier();
    for (int step = 0; step < 4 && whole > 0; ++step) {
      any_policy const policy = !alone || pick(own, 0, 1) == 0 ? any_policy(shipped)
                                : pick(own, 0, 1) == 0
                                    ? any_policy(independent{})
                                    : any_policy(sieving{.writes = sieving_mode::always});
      std::int64_t const from = pick(own, 0, 1) == 0 ? 0 : pick(own, 0, whole - 1),
                         to = pick(own, from + 1, whole);
      // two requests at a time
      std::int64_t const middle = pick(own, 0, 1) == 0 ? from : pick(own, from, to);
      auto const part = [&](bytes& all, std::int64_t a, std::int64_t b) {
        return std::span(all).subspan(static_cast<std::size_t>(a * d.unit),
                                      static_cast<std::size_t>((b - a) * d.unit));
      };
      std::int64_t moved = 0;
      if (pick(own, 0, 1) == 0) {
        for (std::byte& b : part(mine, from, to)) b = static_cast<std::byte>(own());
        if (middle == from) {
          moved = f.write_at(from, part(mine, from, to), policy).bytes;
        } else {
          request first = f.iwrite_at(from, part(mine, from, middle), policy);
          moved = f.write_at(middle, part(mine, middle, to), policy).bytes + first.wait().bytes;
        }
      } else {
        bytes back(mine.size(), left_alone);
        request first = f.iread_at(from, part(back, from, middle), policy);
        moved = f.read_at(middle, part(back, middle, to), policy).bytes + first.wait().bytes;
        CHECK(std::ranges::equal(part(back, from, to), part(mine, from, to)));
      }
      CHECK(moved == (to - from) * d.unit);
    }
    world.barrier();
    bytes const now = content_of(f);
    CHECK(d.of(rank, now) == mine);
    CHECK(d.of_nobody(now) == d.of_nobody(d.before));
    world.barrier();
  }
  f.close();
}

// With sparse shipping, agents move the requested bytes and no others, even if another hint asks
// for whole windows.
template <serving World>
void check_sparse_shipping(World const& world, std::string const& path, opener files) {
  int const rank = world.rank(), size = world.size();
  constexpr std::int64_t each = 2000;
  std::vector<int> data(each), back(each);
  for (bool const by_hint : {false, true})
    for (bool const sparse : {false, true})
      for (bool const together : {false, true}) {
        CAPTURE(by_hint, sparse, together);
        hints h = with_agents();
        h.ds_read = h.ds_write = tristate::enable;
        if (by_hint) h.sparse_access = sparse;
        auto f = basic_file<World>::open(world, path, mode::create | mode::read_write, h, files);
        fill(f, world, bytes(static_cast<std::size_t>(4 * each * (size + 1)), std::byte{7}));
        // One of every few numbers belongs to no rank.
        f.set_view(4 * rank, {type<int>, resized(type<int>, 0, 4 * (size + 1))});
        any_policy const policy =
            by_hint ? any_policy() : any_policy(data_shipping{.sparse = sparse});
        for (int& x : data) ++x;
        world.barrier();
        report const put = together ? f.write_at_all(0, data, policy) : f.write_at(0, data, policy);
        world.barrier();
        report const got = together ? f.read_at_all(0, back, policy) : f.read_at(0, back, policy);
        CHECK(put.policy == "data_shipping");
        CHECK(got.policy == "data_shipping");
        CHECK(back == data);
        std::int64_t const wanted = 4 * each * size;
        if (sparse) {
          CHECK(sum(world, put.read_calls) == 0);
          CHECK(sum(world, put.merged_bytes + got.merged_bytes) == 0);
          CHECK(sum(world, put.bytes_written) == wanted);
          CHECK(sum(world, got.bytes_read) == wanted);
        } else {
          CHECK(sum(world, put.merged_bytes) > 0);
          CHECK(sum(world, put.bytes_written) > wanted);
          CHECK(sum(world, got.bytes_read) > wanted);
        }
        f.close();
      }
}

// Pieces of the ranks differ in size and start at unaligned offsets. The form of one rank's pieces
// must not be applied to another's.
template <serving World>
void check_uneven_pieces(World const& world, std::string const& path, opener files) {
  int const rank = world.rank(), size = world.size();
  auto f =
      basic_file<World>::open(world, path, mode::create | mode::read_write, with_agents(), files);
  constexpr std::int64_t tiles = 50;
  std::int64_t const longest = 16, tile = 2 * longest * size;
  for (int turn = 0; turn < size; ++turn)
    for (bool const together : {false, true}) {
      CAPTURE(turn, together);
      // From 16 bytes at a multiple of 16 to one byte at an odd offset.
      int const which = (rank + turn) % size;
      std::int64_t const length = std::max<std::int64_t>(1, longest >> which),
                         at = 2 * longest * rank + length;
      bytes const data(static_cast<std::size_t>(length * tiles), static_cast<std::byte>(rank + 1));
      bytes hoped(static_cast<std::size_t>(tile * tiles), std::byte{99});
      fill(f, world, hoped);
      f.set_view(at, {type<std::byte>, resized(argosy::bytes(length), 0, tile)});
      data_shipping const policy{.stripe_bytes = 1 << 20, .agents = 1};
      world.barrier();
      report const r = together ? f.write_at_all(0, data, policy) : f.write_at(0, data, policy);
      CHECK(r.bytes == length * tiles);
      world.barrier();
      for (int other = 0; other < size; ++other) {
        std::int64_t const n = std::max<std::int64_t>(1, longest >> ((other + turn) % size));
        for (std::int64_t t = 0; t < tiles; ++t)
          std::fill_n(hoped.begin() + t * tile + 2 * longest * other + n, n,
                      static_cast<std::byte>(other + 1));
      }
      hoped.resize(static_cast<std::size_t>(std::max<std::int64_t>(f.size(), 0)));
      CHECK(content_of(f) == hoped);
    }
  f.close();
}

template <serving World>
void check_shipped_conversion(World const& world, std::string const& path, opener files) {
  int const rank = world.rank(), size = world.size();
  auto f =
      basic_file<World>::open(world, path, mode::create | mode::read_write, with_agents(), files);
  f.set_view(8 * rank, {type<double>, vector(500, 1, size, type<double>), external32});
  std::vector<double> data(500), back(500);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = rank + 0.25 * static_cast<double>(i);
  CHECK(f.write_at(0, data, data_shipping{.stripe_bytes = 1, .window_bytes = 100}).bytes == 4000);
  world.barrier();
  // windows cut items
  CHECK(f.read_at(0, back, data_shipping{.window_bytes = 60}).bytes == 4000);
  CHECK(back == data);
  for (std::int64_t const window : {100, 1000, 100'000})
    check_values_that_do_not_fit(world, f, data_shipping{.stripe_bytes = 1, .window_bytes = window},
                                 false);
  f.close();
}

// Every rank writes to every agent. The file calls of one agent, or of all, fail once or from then
// on.
template <serving World>
void check_failing_agents(World const& world, std::string const& path, opener files) {
  int const rank = world.rank(), size = world.size();
  constexpr std::int64_t each = 3000;
  for (int who = -1; who < size; ++who)
    for (int k = 0; k < 12; ++k) {
      bool const onwards = k % 2 == 1, writing = k % 4 < 2;
      std::int64_t const call = k < 4 ? 1 : 3;
      data_shipping const policy{.stripe_bytes = 1, .window_bytes = 512, .sparse = k >= 8};
      CAPTURE(who, call, onwards, writing, policy.sparse);
      auto const script = std::make_shared<fault_script>();
      auto f = basic_file<World>::open(world, path, mode::create | mode::read_write, with_agents(),
                                       with_faults(files, script));
      fill(f, world, bytes(static_cast<std::size_t>(each * size), std::byte{7}));
      f.set_view(rank, {type<std::byte>, resized(argosy::bytes(1), 0, size)});
      script->clear();
      if (who < 0 || who == rank) {
        file_call const kind = writing ? file_call::write : file_call::read;
        script->add(onwards ? fail_from(kind, call, std::errc::no_space_on_device)
                            : fail_at(kind, call, std::errc::no_space_on_device));
      }
      world.barrier();
      auto const mine = static_cast<std::byte>(100 + rank);
      bytes data(static_cast<std::size_t>(each), writing ? mine : std::byte{1});
      std::error_code error;
      report const r =
          writing ? f.write_at(0, data, {policy, error}) : f.read_at(0, data, {policy, error});
      world.barrier();
      bool const struck = !everywhere(world, script->struck() == 0),
                 told = !everywhere(world, !error);
      script->clear();
      world.barrier();
      CHECK(struck == told);
      if (error) {
        CHECK(error == errc::no_space);
        CHECK(f.what_failed().find("the agent on rank " +
                                   (who < 0 ? std::string() : std::to_string(who))) !=
              std::string::npos);
        CHECK(f.what_failed().find("ENOSPC") != std::string::npos);
      } else {
        CHECK(r.bytes == each);
      }
      // The bytes that the report counts were moved, from the first one on. Each other byte was
      // moved or is unchanged.
      if (writing) {
        bytes const now = content_of(f);
        std::int64_t counted = 0, wrong = 0;
        for (std::int64_t i = 0; i < each; ++i) {
          std::byte const b = now[static_cast<std::size_t>(i * size + rank)];
          counted += i < r.bytes && b == mine;
          wrong += b != mine && b != std::byte{7};
        }
        CHECK(counted == r.bytes);
        CHECK(wrong == 0);
      } else {
        auto const rest = data.begin() + r.bytes;
        CHECK(std::count(data.begin(), rest, std::byte{7}) == r.bytes);
        CHECK(std::count(rest, data.end(), std::byte{7}) +
                  std::count(rest, data.end(), std::byte{1}) ==
              each - r.bytes);
      }
      f.close();
    }
}

// A regular view travels in few bytes, an irregular one as a list of pieces. There is one request
// for each agent and stripe of data.
template <serving World>
void check_messages_of_shipping(World const& world, std::string const& path, opener files) {
  int const rank = world.rank(), size = world.size();
  auto f =
      basic_file<World>::open(world, path, mode::create | mode::read_write, with_agents(), files);
  constexpr std::int64_t each = 20'000;
  std::vector<int> data(each), back(each);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = rank * 100'000 + static_cast<int>(i);
  data_shipping const policy{.stripe_bytes = 64 << 10, .agents = size};
  f.set_view(4 * rank, {type<int>, resized(type<int>, 0, 4 * size)});
  report r = f.write_at(0, data, policy);
  CHECK(r.bytes == 4 * each);
  std::int64_t const stripes = (4 * each * size) / (64 << 10) + 1;
  CHECK(r.messages <= stripes);
  CHECK(r.messages >= (size - 1) * (stripes >= size ? 1 : 0));
  CHECK(r.view_bytes <= r.messages * 400);
  CHECK(r.message_bytes <= 4 * each);
  std::int64_t const of_a_stripe = 4 * (((16 << 10) + size - 1) / size);
  // The rank's own stripes, at most two, need no message.
  CHECK(r.message_bytes >= (size == 1 ? 0 : 4 * each - 2 * of_a_stripe));
  CHECK(r.rounds >= 1);

  engine random(seed() + static_cast<unsigned>(rank));
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < each; ++i)
    offsets.push_back((2 * i + pick(random, 0, 1)) * 4 * size + 4 * rank);
  f.set_view(0, {type<int>, resized(table(offsets, 4), 0, 8 * each * size)});
  r = f.write_at(0, data, policy);
  CHECK(r.bytes == 4 * each);
  CHECK(r.view_bytes <= each * 20 + r.messages * 400);
  CHECK(f.read_at(0, back, policy).bytes == 4 * each);
  CHECK(back == data);
  f.close();
}

// Shows when agents begin and end to serve, and how a call proceeds without them.
template <serving World>
void check_hints_of_shipping(World const& world, std::string const& path, opener files) {
  using file = basic_file<World>;
  int const rank = world.rank();
  bytes data(100, static_cast<std::byte>(rank + 1)), back(100);
  std::int64_t const at = 100 * rank;
  auto const reason_of = [&](file& f, any_policy how = {}) { return f.write_at(at, data, how); };

  file f = file::open(world, path, mode::create | mode::read_write, {}, files);
  CHECK(reason_of(f).policy == "sieving");
  report r = reason_of(f, data_shipping{});
  CHECK(r.policy == "sieving");
  CHECK_THAT(r.reason, Catch::Matchers::ContainsSubstring("not shipped: no agents serve"));
  f.set_hints({.policy = "data_shipping"});
  CHECK(reason_of(f).policy == "data_shipping");
  CHECK(reason_of(f, independent{}).policy == "independent");
  CHECK(f.explain_at(access_kind::write, at, data).policy == "data_shipping");
  f.set_atomic(true);
  CHECK_THAT(reason_of(f).reason, Catch::Matchers::ContainsSubstring("not shipped: atomic mode"));
  f.set_atomic(false);
  f.sync();
  CHECK(f.read_at(at, back).bytes == 100);
  CHECK(back == data);
  f.close();

  f = file::open(world, path, mode::read_write, hints{.largeblock_io = largeblock::switchable},
                 files);
  CHECK(reason_of(f).policy == "data_shipping");
  CHECK(f.write_at_all(at, data).policy == "data_shipping");
  auto const switched = [&](bool on) {
    f.set_view(0, {type<std::byte>, type<std::byte>, native},
               hints{.largeblock_io = on ? largeblock::on : largeblock::off});
  };
  switched(true);
  CHECK(reason_of(f).policy == "sieving");
  CHECK(f.write_at_all(at, data).rounds == 0);                     // each rank by itself
  CHECK(reason_of(f, data_shipping{}).policy == "data_shipping");  // agents still serve
  switched(false);
  CHECK(reason_of(f).policy == "data_shipping");
  // Agents obey the hints about windows from then on.
  std::vector<int> const numbers(100, 1);
  for (tristate const merge : {tristate::enable, tristate::disable, tristate::enable}) {
    f.set_hints({.ds_write = merge});
    f.set_view(4 * rank, {type<int>, resized(type<int>, 0, 4 * (world.size() + 1))});
    r = f.write_at(0, numbers, data_shipping{.agents = 1});
    if (merge == tristate::enable) CHECK(sum(world, r.locks) > 0);
    CHECK((sum(world, r.merged_bytes) > 0) == (merge == tristate::enable));
  }
  f.set_hints({.ds_write = tristate::automatic});
  f.set_view(0, type<std::byte>);
  // The size of the buffer may change while no call is pending.
  f.set_hints({.io_buffer_bytes = 100'000});
  CHECK_THAT(reason_of(f).reason, Catch::Matchers::ContainsSubstring("stripes of 102400 bytes"));
  CHECK(f.get_hints().find("IBM_io_buffer_size")->status == hint_status::accepted);
  f.close();

  f = file::open(world, path, mode::read_write, hints{.largeblock_io = largeblock::on}, files);
  CHECK(reason_of(f).policy == "sieving");
  CHECK(f.write_at_all(at, data).rounds == 0);
  f.set_hints({.largeblock_io = largeblock::off});
  CHECK(f.get_hints().find("IBM_largeblock_io")->status == hint_status::rejected);
  CHECK(reason_of(f).policy == "sieving");
  f.close();

  // The file is dropped without close(). No rank may wait for another one.
  f = file::open(world, path, mode::read_write, with_agents(), files);
  CHECK(reason_of(f).bytes == 100);
  world.barrier();
  f = file();
  world.barrier();
}

}  // namespace argosy::test
