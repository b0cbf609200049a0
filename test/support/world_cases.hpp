// The contract of every world. Each function is called by all ranks, for any number of ranks. One
// page because each world must pass the whole contract.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/world/communicator.hpp>

#include "catch.hpp"

namespace argosy::test {

using namespace extend;

using bytes = std::vector<std::byte>;

// Returns bytes that differ by sender, number and place.
inline bytes content(std::size_t size, int rank, std::size_t number = 0) {
  bytes b(size);
  std::uint64_t state = static_cast<std::uint64_t>(rank) * 1000003 + number * 7919 + 1;
  for (std::byte& x : b)
    x = static_cast<std::byte>((state = state * 6364136223846793005u + 1442695040888963407u) >> 56);
  return b;
}

// Sizes around powers of two, and where MPI libraries change their protocol.
inline std::vector<std::size_t> const sizes = {0,  1,    2,    7,    8,     63,    64,
                                               65, 4095, 4096, 4097, 65535, 70000, 300001};

template <class T>
bytes bytes_of(T const& value) {
  bytes b(sizeof value);
  std::memcpy(b.data(), &value, sizeof value);
  return b;
}

// --- Values to reduce ---

struct any_of {  // 1 byte
  bool value;
  void combine(any_of const& other) { value = value || other.value; }
};
static_assert(sizeof(any_of) == 1);

struct statistics {  // 24 bytes
  std::int64_t least, most, sum;
  void combine(statistics const& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    sum += other.sum;
  }
};
static_assert(sizeof(statistics) == 24);

struct histogram {  // 100 bytes
  std::array<std::int32_t, 25> count;
  void combine(histogram const& other) {
    for (std::size_t i = 0; i < count.size(); ++i) count[i] += other.count[i];
  }
};
static_assert(sizeof(histogram) == 100);

struct longest {  // with the lowest rank that has it
  double value;
  std::int32_t rank;
  void combine(longest const& other) {
    if (other.value > value || (other.value == value && other.rank < rank)) *this = other;
  }
};

struct odd {  // 37 bytes, alignment 1
  std::array<unsigned char, 37> value;
  void combine(odd const& other) {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = std::max(value[i], other.value[i]);
  }
};
static_assert(sizeof(odd) == 37 && alignof(odd) == 1);

struct alignas(64) over_aligned {
  std::int64_t value;
  bool aligned = true;
  void combine(over_aligned const& other) {
    value += other.value;
    aligned = aligned && other.aligned && reinterpret_cast<std::uintptr_t>(this) % 64 == 0 &&
              reinterpret_cast<std::uintptr_t>(&other) % 64 == 0;
  }
};

struct large {
  std::array<std::int64_t, 5000> value;
  void combine(large const& other) {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] += other.value[i];
  }
};

template <argosy::extend::agreeing World>
void check_reductions(World const& world) {
  int const n = world.size(), me = world.rank();
  for (int last = 0; last < n; ++last) {
    any_of any{me == last};
    world.all_reduce(any);
    CHECK(any.value);
  }
  any_of none{false};
  world.all_reduce(none);
  CHECK_FALSE(none.value);

  statistics s{-me, 10 * me, me + 1};
  world.all_reduce(s);
  CHECK(s.least == -(n - 1));
  CHECK(s.most == 10 * (n - 1));
  CHECK(s.sum == n * (n + 1) / 2);

  histogram h{};
  h.count[static_cast<std::size_t>(me % 25)] = 1;
  h.count[24] += me;
  world.all_reduce(h);
  for (int i = 0; i < std::min(n, 24); ++i) CHECK(h.count[static_cast<std::size_t>(i)] == 1);
  CHECK(h.count[24] == n * (n - 1) / 2);

  for (int place = 0; place < n; ++place) {
    longest l{me == place || me == n - 1 ? 2.5 : 0.5 * me / n, me};
    world.all_reduce(l);
    CHECK(l.value == 2.5);
    CHECK(l.rank == place);
  }

  odd o{};
  o.value[static_cast<std::size_t>(me % 37)] = static_cast<unsigned char>(me + 1);
  world.all_reduce(o);
  for (int i = 0; i < std::min(n, 37); ++i) CHECK(o.value[static_cast<std::size_t>(i)] == i + 1);

  over_aligned a{me + 1};
  world.all_reduce(a);
  CHECK(a.value == n * (n + 1) / 2);
  CHECK(a.aligned);

  large l{};
  for (std::size_t i = 0; i < l.value.size(); ++i)
    l.value[i] = static_cast<std::int64_t>(i) * (me + 1);
  world.all_reduce(l);
  bool right = true;
  for (std::size_t i = 0; i < l.value.size(); ++i)
    right &= l.value[i] == static_cast<std::int64_t>(i) * n * (n + 1) / 2;
  CHECK(right);

  argosy::detail::reducible_sum sum{std::int64_t{1} << 40};
  for (int i = 0; i < 100; ++i) {
    sum.value = (std::int64_t{1} << 40) + i;
    world.all_reduce(sum);
    REQUIRE(sum.value == n * ((std::int64_t{1} << 40) + i));
  }
}

template <argosy::extend::agreeing World>
void check_sums(World const& world) {
  std::int64_t const big = std::int64_t{1} << 40;
  CHECK(world.exclusive_sum(world.rank() + big) ==
        world.rank() * (world.rank() - 1) / 2 + world.rank() * big);
  CHECK(world.exclusive_sum(0) == 0);
  CHECK(world.exclusive_sum(-5) == -5 * world.rank());
}

// Parcels of any length go to any ranks, also several to one rank and to the sender itself.
// Deliveries follow each other at once.
template <communicator World>
void check_deliveries(World const& world) {
  int const n = world.size(), me = world.rank();
  // -1 and 0: none
  auto const count = [&](int from, int to, int round) {
    return (from * 7 + to * 3 + round) % 4 - 1;
  };
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    std::vector<parcel> out, hoped;
    for (int to = n - 1; to >= 0; --to)
      for (int i = 0; i < count(me, to, round); ++i)
        out.push_back({to, content(sizes[static_cast<std::size_t>(me + round + i) % sizes.size()],
                                   me, static_cast<std::size_t>(to + 10 * i))});
    for (int from = 0; from < n; ++from)
      for (int i = 0; i < count(from, me, round); ++i)
        hoped.push_back(
            {from, content(sizes[static_cast<std::size_t>(from + round + i) % sizes.size()], from,
                           static_cast<std::size_t>(me + 10 * i))});
    std::vector<parcel> const in = world.deliver(out);
    REQUIRE(in.size() == hoped.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      CHECK(in[i].rank == hoped[i].rank);
      CHECK(in[i].content == hoped[i].content);
    }
  }
  CHECK(world.deliver({}).empty());
}

template <argosy::extend::agreeing World>
void check_gathers_and_broadcasts(World const& world) {
  auto const n = static_cast<std::size_t>(world.size());
  for (std::size_t size : sizes) {
    CAPTURE(size);
    bytes const mine = content(size, world.rank());
    bytes expected, all(n * size), in_place(n * size);
    for (int r = 0; r < world.size(); ++r) {
      bytes const part = content(size, r);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    world.all_gather(mine, all);
    CHECK(all == expected);
    auto const own =
        std::span(in_place).subspan(static_cast<std::size_t>(world.rank()) * size, size);
    std::copy(mine.begin(), mine.end(), own.begin());
    world.all_gather(own, in_place);
    CHECK(in_place == expected);

    for (int root = 0; root < world.size(); ++root) {
      bytes b = content(size, world.rank(), 5);
      world.broadcast(b, root);
      CHECK(b == content(size, root, 5));
    }
  }
  world.barrier();
}

// Every rank sends to every rank, itself too.
template <communicator World>
void check_messages(World const& world) {
  using request = typename World::request;
  int const n = world.size(), me = world.rank();
  for (std::size_t size : sizes) {
    CAPTURE(size);
    std::vector<bytes> in, out;
    std::vector<request> requests;
    for (int r = 0; r < n; ++r) {
      in.emplace_back(size + 3, std::byte{0xee});  // messages may be shorter than the memory
      out.push_back(content(size, me, static_cast<std::size_t>(r)));
    }
    for (int r = 0; r < n; ++r)
      requests.push_back(world.start_receive(in[static_cast<std::size_t>(r)], r, 7));
    for (int r = 0; r < n; ++r)
      requests.push_back(world.start_send(out[static_cast<std::size_t>(r)], r, 7));
    World::wait_all(requests);
    World::wait_all(requests);  // waiting for finished requests is allowed
    for (int r = 0; r < n; ++r) {
      bytes expected = content(size, r, static_cast<std::size_t>(me));
      expected.insert(expected.end(), 3, std::byte{0xee});
      CHECK(in[static_cast<std::size_t>(r)] == expected);
    }
  }
}

// Blocking messages around the ring. The receiver learns the length of what it receives.
template <communicator World>
void check_lengths(World const& world) {
  int const n = world.size(), right = (world.rank() + 1) % n, left = (world.rank() + n - 1) % n;
  for (std::size_t size : sizes) {
    bytes const out = content(size, world.rank());
    bytes in(sizes.back() + 10);
    typename World::request sent[] = {world.start_send(out, right, 3)};
    std::size_t const received = world.receive(in, left, 3);
    World::wait_all(sent);
    CHECK(received == size);
    in.resize(received);
    CHECK(in == content(size, left));
  }
  if (n > 1) {
    std::int64_t token = 0;
    auto const memory = std::as_writable_bytes(std::span(&token, 1));
    if (world.rank() == 0) {
      world.send(memory, right, 4);
      CHECK(world.receive(memory, left, 4) == sizeof token);
      CHECK(token == n * (n - 1) / 2);
    } else {
      CHECK(world.receive(memory, left, 4) == sizeof token);
      token += world.rank();
      world.send(memory, right, 4);
    }
  }
}

template <communicator World>
void check_order(World const& world) {
  using request = typename World::request;
  int const n = world.size(), right = (world.rank() + 1) % n, left = (world.rank() + n - 1) % n;
  constexpr std::size_t count = 1000;  // more than any slice in which requests are waited for
  // Short and long messages of one tag must arrive in the order of the sends, however they travel.
  auto const length = [](std::size_t i) { return i % 50 == 0 ? std::size_t{20000} : 8 + i % 5; };
  std::vector<bytes> in(count), out(count);
  std::vector<request> requests;
  for (std::size_t i = 0; i < count; ++i) {
    in[i].resize(length(i));
    requests.push_back(world.start_receive(in[i], left, 1));
  }
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = content(length(i), world.rank(), i);
    requests.push_back(world.start_send(out[i], right, 1));
  }
  std::reverse(requests.begin(), requests.end());  // the order of waiting does not matter
  World::wait_all(requests);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += in[i] != content(length(i), left, i);
  CHECK(wrong == 0);

  // A message of a second tag may overtake that of the first.
  bytes const first = content(10, world.rank(), 1), second = content(10, world.rank(), 2);
  bytes got_first(10), got_second(10);
  request sent[] = {world.start_send(first, right, 1), world.start_send(second, right, 2)};
  CHECK(world.receive(got_second, left, 2) == 10);
  CHECK(world.receive(got_first, left, 1) == 10);
  World::wait_all(sent);
  CHECK(got_first == content(10, left, 1));
  CHECK(got_second == content(10, left, 2));
}

// A receive that is dropped no longer uses its memory, and its message goes to the next receive.
template <communicator World>
void check_dropped_requests(World const& world) {
  using request = typename World::request;
  int const n = world.size(), right = (world.rank() + 1) % n, left = (world.rank() + n - 1) % n;
  bytes in(50), out = content(50, world.rank(), 1);
  {
    bytes gone(50);
    [[maybe_unused]] request const dropped = world.start_receive(gone, left, 9);
  }
  {
    request r = world.start_receive(in, left, 8);
    r = {};  // assigning drops, too
  }
  world.barrier();
  request sent[] = {world.start_send(out, right, 9), request(), world.start_send(out, right, 8)};
  CHECK(world.receive(in, left, 9) == 50);
  CHECK(in == content(50, left, 1));
  CHECK(world.receive(in, left, 8) == 50);
  request moved = std::move(sent[0]);
  World::wait_all({&moved, 1});
  World::wait_all(sent);
  World::wait_all({});
}

// Messages sent in one group must not arrive in another, although their tags are equal.
template <communicator World>
void check_groups_are_separate(World const& world) {
  int const n = world.size(), right = (world.rank() + 1) % n, left = (world.rank() + n - 1) % n;
  World const copy = world, other = world.duplicate(), again = other.duplicate();
  CHECK(other.rank() == world.rank());
  CHECK(other.size() == n);
  std::array<World const*, 3> const from = {&copy, &other, &again}, to = {&again, &world, &other};
  std::vector<typename World::request> sent;
  std::array<bytes, 3> out;
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = content(16, world.rank(), i);
    sent.push_back(from[i]->start_send(out[i], right, 5));
  }
  std::array<std::size_t, 3> const number = {2, 0, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    bytes in(16);
    CHECK(to[i]->receive(in, left, 5) == 16);
    CHECK(in == content(16, left, number[i]));
  }
  World::wait_all(sent);
}

template <communicator World>
void check_split(World const& world) {
  int const n = world.size(), me = world.rank();
  for (int colours = 1; colours <= 3; ++colours) {
    World const part = world.split(me % colours, -me);  // ranks in reverse order
    int const expected = (n - me % colours + colours - 1) / colours;
    CHECK(part.size() == expected);
    CHECK(part.rank() == expected - 1 - me / colours);
    argosy::detail::reducible_sum sum{me};
    part.all_reduce(sum);
    std::int64_t right = 0;
    for (int r = me % colours; r < n; r += colours) right += r;
    CHECK(sum.value == right);
    World const pair = part.split(part.rank() / 2, part.rank());
    CHECK(pair.size() == (part.rank() / 2 * 2 + 1 < part.size() ? 2 : 1));
  }
  World const node = world.node();
  CHECK(node.size() >= 1);
  CHECK(node.size() <= n);
  std::optional<World> kept;
  {
    World const first = world.duplicate();
    kept = first;
  }
  kept->barrier();  // copies keep the communicator alive
}

// `world` is a node.
template <argosy::extend::node_sharing World>
void check_shared_memory(World const& world) {
  auto const n = static_cast<std::size_t>(world.size()),
             me = static_cast<std::size_t>(world.rank());
  for (std::size_t size :
       {std::size_t{1}, std::size_t{4096}, std::size_t{100001}, std::size_t{5} << 20}) {
    CAPTURE(size);
    shared_memory memory = world.share(size);
    auto const all = memory.bytes();
    REQUIRE(all.size() == size);
    CHECK(reinterpret_cast<std::uintptr_t>(all.data()) % shared_memory::alignment_bytes == 0);
    CHECK(std::all_of(all.begin(), all.end(), [](std::byte b) { return b == std::byte{}; }));
    world.barrier();
    for (std::size_t i = me; i < size; i += n) all[i] = static_cast<std::byte>(i % 251 + 1);
    world.barrier();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < size; ++i) wrong += all[i] != static_cast<std::byte>(i % 251 + 1);
    CHECK(wrong == 0);

    shared_memory moved = std::move(memory);
    CHECK(memory.bytes().empty());
    CHECK(moved.bytes().data() == all.data());
    moved = {};
    CHECK(moved.bytes().empty());
  }

  // All ranks add to one number, and no addition may be lost.
  shared_memory const memory = world.share(sizeof(std::int64_t) * 2);
  auto* const count = reinterpret_cast<std::int64_t*>(memory.bytes().data());
  std::atomic_ref<std::int64_t> const sum(count[0]), turn(count[1]);
  constexpr std::int64_t times = 2000;
  for (std::int64_t i = 0; i < times; ++i)
    sum.fetch_add(static_cast<std::int64_t>(me) + 1, std::memory_order_relaxed);
  // The last rank learns from the shared memory alone that all others have added.
  if (turn.fetch_add(1, std::memory_order_acq_rel) == world.size() - 1)
    CHECK(sum.load() == times * static_cast<std::int64_t>(n * (n + 1) / 2));
  world.barrier();
  CHECK(sum.load() == times * static_cast<std::int64_t>(n * (n + 1) / 2));

  // One rank keeps the memory after all others have released theirs.
  std::optional<shared_memory> kept = world.share(4096);
  if (me != n - 1) kept.reset();
  world.barrier();
  if (kept) {
    kept->bytes()[0] = std::byte{1};
    CHECK(kept->bytes()[0] == std::byte{1});
  }

  std::error_code error = std::make_error_code(std::errc::io_error);
  CHECK(world.share(0, error).bytes().empty());
  CHECK_FALSE(error);
  CHECK(world.share(0).bytes().empty());
  shared_memory const one = world.share(64), other = world.share(64);
  CHECK(one.bytes().data() != other.bytes().data());
}

}  // namespace argosy::test
