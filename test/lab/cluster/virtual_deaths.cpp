// Virtual ranks that wait in vain, are in different calls, or die.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/cluster/virtual_cluster_cases.hpp"
#include "support/seed.hpp"
#include "support/world_cases.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using namespace io::test;

TEST_CASE("a deadlock ends the run, and every rank says what it waits for", "[virtual]") {
  io::lab::virtual_cluster const cluster({.ranks = 4, .seed = 2});
  struct counter {
    int* count;
    explicit counter(int* c) : count(c) { ++*count; }
    ~counter() { --*count; }
    counter(counter const&) = delete;
    counter& operator=(counter const&) = delete;
  };
  int alive = 0;
  std::string words = what_of(
      cluster,
      [&](io::lab::virtual_rank const& world) {
        counter const here(&alive);
        bytes memory(8);
        world.barrier();
        if (world.rank() == 3) return;
        if (world.rank() == 2) world.receive(memory, 3, 77);
        world.barrier();
      },
      io::lab::virtual_run_error::reason::deadlock);
  CHECK(alive == 0);
  CHECK_THAT(words, ContainsSubstring("3 of 4 ranks wait"));
  CHECK_THAT(words, ContainsSubstring("receive from rank 3 (which has left its program), tag 77, "
                                      "communicator 0, at virtual_deaths.cpp:"));
  CHECK_THAT(words, ContainsSubstring(
                        "barrier of communicator 0, for ranks 2, 3 (which has left its program)"));
  CHECK_THAT(words,
             ContainsSubstring(
                 "the last collective call that it passed is barrier, number 1 of communicator 0"));

  words = what_of(
      cluster,
      [](io::lab::virtual_rank const& world) {
        bytes const memory(1 << 20);
        world.send(memory, (world.rank() + 1) % world.size(), 5);
      },
      io::lab::virtual_run_error::reason::deadlock);
  CHECK_THAT(words, ContainsSubstring("send to rank 1, tag 5"));
  CHECK_THAT(words, ContainsSubstring("4 of 4 ranks wait"));

  // A rank that catches the end of the run as if it were its own error gets it again at the next
  // call.
  words = what_of(
      cluster,
      [](io::lab::virtual_rank const& world) {
        bytes memory(1);
        for (int i = 0; i < 3; ++i) try {
            world.receive(memory, world.rank(), i);
          } catch (...) {
          }
      },
      io::lab::virtual_run_error::reason::deadlock);
  CHECK_THAT(words, ContainsSubstring("receive from rank 1, tag 0"));
}

TEST_CASE("ranks that wait for the same are one line of a deadlock report", "[virtual]") {
  std::vector<io::lab::blocked_rank> blocked;
  for (int const r : {0, 1, 2, 4, 6, 7})
    blocked.push_back({r, false, 1e-6 * r, "a barrier", "nothing passed"});
  blocked.push_back({6, true, 0, "a barrier", "nothing passed"});
  blocked.push_back({8, false, 0, "a lock", "nothing passed"});
  CHECK(io::lab::detail::lines_of(blocked) ==
        std::vector<std::string>{
            "ranks 0-2, 4, 6-7 wait since 0.000000000 to 0.000007000 s: a barrier; nothing passed",
            "rank 6 in the background waits since 0.000000000 s: a barrier; nothing passed",
            "rank 8 waits since 0.000000000 s: a lock; nothing passed"});
  std::string const words = what_of(
      io::lab::virtual_cluster({.ranks = 200}),
      [](io::lab::virtual_rank const& world) {
        if (world.rank() != 5) world.barrier();
      },
      io::lab::virtual_run_error::reason::deadlock);
  CHECK_THAT(
      words,
      ContainsSubstring(
          "ranks 0-4, 6-199 wait since 0.000000000 s: barrier of communicator 0, for rank 5"));
  CHECK(std::count(words.begin(), words.end(), '\n') == 1);
}

TEST_CASE("what the scenario has and no rank comes to is in the report", "[virtual][faults]") {
  io::lab::scenario s{.ranks = 3};
  s.deaths = {
      {.rank = 0, .operation = 2}, {.rank = 1, .operation = 100}, {.rank = 0, .operation = 50}};
  s.pauses = {{.rank = 2, .at_us = 0, .for_us = 1}, {.rank = 2, .at_us = 1'000'000, .for_us = 1}};
  auto const program = [](io::lab::virtual_rank const& world) {
    world.pause();
    world.pause();
  };
  io::lab::virtual_report const r = io::lab::virtual_cluster(s).run(program);
  CHECK(r.did_not_happen == std::vector<std::string>{"pause=2:1000000:1", "die=1:100", "die=0:50"});
  CHECK_THAT(to_string(r),
             ContainsSubstring("; 3 faults did not happen: pause=2:1000000:1 die=1:100 die=0:50"));
  s.deaths.clear();
  s.pauses.clear();
  CHECK(to_string(io::lab::virtual_cluster(s).run(program)).find("did not happen") ==
        std::string::npos);
}

TEST_CASE("ranks in different collective calls are found", "[virtual]") {
  auto const mismatch = io::lab::virtual_run_error::reason::mismatch;
  io::lab::virtual_cluster const cluster({.ranks = 3});
  CHECK_THAT(what_of(
                 cluster,
                 [](io::lab::virtual_rank const& world) {
                   io::detail::reducible_sum sum;
                   if (world.rank() == 1) world.barrier();
                   world.all_reduce(sum);
                 },
                 mismatch),
             ContainsSubstring("are in different collective calls: all_reduce of 8 bytes on rank 0 "
                               "at virtual_deaths.cpp:") &&
                 ContainsSubstring("barrier on rank 1 at virtual_deaths.cpp:"));
  CHECK_THAT(what_of(
                 cluster,
                 [](io::lab::virtual_rank const& world) {
                   bytes memory(static_cast<std::size_t>(world.rank() + 1));
                   world.broadcast(memory, 2);
                 },
                 mismatch),
             ContainsSubstring("different lengths: broadcast of 1 bytes from rank 2 on rank 0"));
  CHECK_THAT(what_of(
                 cluster,
                 [](io::lab::virtual_rank const& world) {
                   bytes memory(1);
                   world.broadcast(memory, world.rank() / 2);
                 },
                 mismatch),
             ContainsSubstring("different roots"));
  CHECK_THAT(what_of(
                 cluster,
                 [](io::lab::virtual_rank const& world) {
                   bytes memory(10);
                   if (world.rank() == 0) world.send(memory, 1, 1);
                   if (world.rank() == 1) world.receive(std::span(memory).first(9), 0, 1);
                 },
                 io::lab::virtual_run_error::reason::too_long),
             ContainsSubstring("rank 1 receives a message of 10 bytes from rank 0, tag 1, "
                               "communicator 0, into 9 bytes"));
  CHECK_THAT(what_of(
                 io::lab::virtual_cluster({.ranks = 2}, {.most_events = 1000}),
                 [](io::lab::virtual_rank const& world) {
                   for (;;) world.pause();
                 },
                 io::lab::virtual_run_error::reason::too_many_events),
             ContainsSubstring("more than 1000 events"));
}

TEST_CASE("survivors learn of a death, at once or at none", "[virtual][faults]") {
  int const n = 6;
  for (std::int64_t k = 1; k <= 14; ++k) {
    CAPTURE(k);
    io::lab::scenario s{.ranks = n, .ranks_per_node = 2, .seed = 11};
    s.deaths.push_back({2, k});
    std::vector<int> passed(static_cast<std::size_t>(n)), told(static_cast<std::size_t>(n), -1);
    auto const r = io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
      auto const me = static_cast<std::size_t>(world.rank());
      try {
        for (int i = 0; i < 12; ++i) {
          io::detail::reducible_sum sum{1};
          if (i % 3 == 0) world.barrier();
          if (i % 3 == 1) world.all_reduce(sum);
          if (i % 3 == 2) world.exclusive_sum(1);
          ++passed[me];
        }
      } catch (io::extend::rank_failure const& lost) {
        told[me] = lost.rank();
        CHECK_THROWS_AS(world.barrier(), io::extend::rank_failure);  // later barriers throw, too
        CHECK(world.now() >= 1e-3);
      }
    });
    if (k > 12) {
      CHECK(r.dead.empty());
      continue;
    }
    CHECK(r.dead == std::vector<int>{2});
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      CHECK(passed[i] == k - 1);
      CHECK(told[i] == (i == 2 ? -1 : 2));
    }
  }
}

TEST_CASE("who waits for shared memory in vain is in the deadlock report", "[virtual]") {
  std::string const words = what_of(
      io::lab::virtual_cluster({.ranks = 3, .seed = 2}),
      [](io::lab::virtual_rank const& world) {
        io::extend::shared_memory const shared = world.share(64);
        auto& word = *static_cast<std::uint32_t*>(static_cast<void*>(shared.bytes().data()));
        if (world.rank() == 1) world.compute(1e-3);
        if (world.rank() == 1) world.wake(word);  // in vain, because the word did not change
        for (; world.rank() != 1 && std::atomic_ref(word).load() == 0;) world.wait(word, 0);
      },
      io::lab::virtual_run_error::reason::deadlock);
  CHECK_THAT(words, ContainsSubstring("2 of 3 ranks wait"));
  CHECK_THAT(
      words,
      ContainsSubstring("ranks 0, 2 wait since 0.000") && ContainsSubstring(" to 0.001") &&
          ContainsSubstring(": shared memory of communicator 0 to change, at virtual_deaths.cpp:"));
}

TEST_CASE("who waits for shared memory learns of a death, and of a revoked communicator",
          "[virtual][faults]") {
  bool const dies = GENERATE(true, false);
  int told = 0, seen = 0;
  io::lab::scenario s{.ranks = 4, .seed = 5};
  if (dies) s.deaths.push_back({2, 4});  // before its wake
  auto const r = io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
    io::lab::virtual_rank const all = world.duplicate();
    io::extend::shared_memory const shared = all.share(64);
    auto& word = *static_cast<std::uint32_t*>(static_cast<void*>(shared.bytes().data()));
    if (world.rank() == 2) {
      world.pause();
      if (!dies) world.revoke();
      if (!dies) return;
      all.wake(word);
      FAIL("it is dead");
    }
    CHECK_THROWS_AS(all.wait(word, 0), io::extend::rank_failure);
    ++told;
    CHECK_THROWS_AS(all.wait(word, 0), io::extend::rank_failure);  // later waits fail, too
    world.compute(1e-2);
    world.pause();
    std::atomic_ref(word).store(1);
    all.wait(word, 0);  // the word has changed already, so there is no wait
    ++seen;
  });
  CHECK(told == 3);
  CHECK(seen == 3);
  CHECK(r.dead == (dies ? std::vector<int>{2} : std::vector<int>{}));
}

TEST_CASE("messages of a dead rank", "[virtual][faults]") {
  io::lab::scenario s{.ranks = 3, .ranks_per_node = 1};
  s.deaths.push_back({1, 4});  // after three sends
  io::lab::virtual_cluster(s).run([](io::lab::virtual_rank const& world) {
    bytes memory(100), large(1 << 20);
    if (world.rank() == 1)
      for (int i = 0; i < 5; ++i)
        world.send(std::span(memory).first(static_cast<std::size_t>(i)), 0, 1);
    if (world.rank() == 0) {
      for (std::size_t i = 0; i < 3; ++i) CHECK(world.receive(memory, 1, 1) == i);
      CHECK_THROWS_AS(world.receive(memory, 1, 1), io::extend::rank_failure);
      CHECK_THROWS_AS(world.receive(memory, 1, 2), io::extend::rank_failure);
      CHECK_NOTHROW(world.send(memory, 1, 1));
      CHECK_THROWS_AS(world.send(large, 1, 1), io::extend::rank_failure);
    }
    if (world.rank() == 2) {
      io::lab::virtual_rank::request r[] = {world.start_send(large, 1, 3),
                                            world.start_receive(memory, 1, 3)};
      CHECK_THROWS_AS(io::lab::virtual_rank::wait_all(r), io::extend::rank_failure);
      CHECK_NOTHROW(io::lab::virtual_rank::wait_all(r));
    }
  });

  // For the other ranks, a rank whose program ends by rank_failure is dead.
  s.deaths = {{1, 1}};
  auto const r = io::lab::virtual_cluster(s).run([](io::lab::virtual_rank const& world) {
    bytes memory(1);
    if (world.rank() == 1) world.pause();
    if (world.rank() == 0) world.receive(memory, 1, 1);
    if (world.rank() == 2) CHECK_THROWS_AS(world.receive(memory, 0, 1), io::extend::rank_failure);
  });
  CHECK(r.dead == std::vector<int>{1, 0});
}

TEST_CASE("after a revoke no receive gets the message of another", "[virtual][faults]") {
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1})
      .run([](io::lab::virtual_rank const& world) {
        bytes memory(8);
        if (world.rank() == 1) {
          world.compute(1e-3);
          world.send(std::span(memory).first(8), 0, 1);
          world.send(std::span(memory).first(2), 0, 1);
        }
        if (world.rank() == 2) world.revoke();
        if (world.rank() != 0) return;
        CHECK_THROWS_AS(world.receive(memory, 1, 1),
                        io::extend::rank_failure);  // this receive was waiting
        world.compute(1e-2);
        world.pause();
        CHECK_THROWS_AS(world.receive(std::span(memory).first(2), 1, 1), io::extend::rank_failure);
      });
}
