// The virtual cluster: its ranks as a world, its clock, its reports.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/seed.hpp"
#include "support/world_cases.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr io::lab::virtual_options roomy{.stack_bytes = std::size_t{1} << 20};

// Each rank sends to some others, of any length, computes, and takes part in collective calls.
void busy(io::lab::virtual_rank const& world) {
  int const n = world.size(), me = world.rank();
  for (int round = 0; round < 5; ++round) {
    std::vector<io::lab::virtual_rank::request> requests;
    std::vector<bytes> in, out;
    for (int d = 1; d <= std::min(n, 4); ++d) {
      auto const size = static_cast<std::size_t>((round * 7919 + d * 104729) % 30000);
      in.emplace_back(size);
      out.push_back(content(size, me, static_cast<std::size_t>(d)));
    }
    for (int d = 1; d <= std::min(n, 4); ++d) {
      requests.push_back(world.start_receive(in[static_cast<std::size_t>(d - 1)], (me + n - d % n) % n, d));
      requests.push_back(world.start_send(out[static_cast<std::size_t>(d - 1)], (me + d) % n, d));
    }
    world.compute(1e-6 * ((me * 31 + round) % 17));
    io::lab::virtual_rank::wait_all(requests);
    for (int d = 1; d <= std::min(n, 4); ++d)
      if (in[static_cast<std::size_t>(d - 1)] !=
          content(in[static_cast<std::size_t>(d - 1)].size(), (me + n - d % n) % n, static_cast<std::size_t>(d)))
        throw std::runtime_error("wrong bytes");
    io::reducible_sum sum{1};
    world.all_reduce(sum);
    if (sum.value != n) throw std::runtime_error("wrong sum");
  }
}

std::string what_of(io::lab::virtual_cluster const& cluster,
                    std::function<void(io::lab::virtual_rank const&)> const& program,
                    io::lab::virtual_run_error::reason why) {
  try {
    cluster.run(program);
  } catch (io::lab::virtual_run_error const& e) {
    CHECK(e.why() == why);
    return e.what();
  }
  FAIL("the run came to its end");
  return {};
}

// Enough of JSON to say whether a text is some.
struct json {
  char const* at;
  char const* end;
  bool fine = true;
  int objects = 0;

  explicit json(std::string const& s) : at(s.data()), end(s.data() + s.size()) {
    value();
    space();
    fine = fine && at == end;
  }
  void space() {
    while (at != end && (*at == ' ' || *at == '\n')) ++at;
  }
  bool take(char c) {
    space();
    if (at == end || *at != c) return false;
    ++at;
    return true;
  }
  void text() {
    while (at != end && *at != '"') at += *at == '\\' ? 2 : 1;
    fine = fine && at != end;
    if (fine) ++at;
  }
  void value() {
    if (take('{')) {
      ++objects;
      if (take('}')) return;
      do {
        fine = fine && take('"');
        if (!fine) return;
        text();
        fine = fine && take(':');
        value();
      } while (fine && take(','));
      fine = fine && take('}');
    } else if (take('[')) {
      if (take(']')) return;
      do value();
      while (fine && take(','));
      fine = fine && take(']');
    } else if (take('"')) {
      text();
    } else {
      char const* const first = at;
      while (at != end && (std::isalnum(static_cast<unsigned char>(*at)) || *at == '-' || *at == '.' || *at == '+'))
        ++at;
      fine = fine && at != first;
    }
  }
};

}  // namespace

TEST_CASE("virtual ranks reduce, sum, gather and broadcast", "[world][virtual]") {
  int const n = GENERATE(1, 2, 3, 7, 16, 24);
  CAPTURE(n);
  io::lab::virtual_cluster({.ranks = n, .ranks_per_node = 3, .seed = 5}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        check_reductions(world);
        check_sums(world);
        if (n < 20) check_gathers_and_broadcasts(world);
      });
}

TEST_CASE("virtual ranks send messages of any size, in order", "[world][virtual]") {
  int const n = GENERATE(1, 2, 3, 7, 16);
  std::int64_t const jitter_ns = GENERATE(0, 100'000), eager_bytes = GENERATE(0, 8192, 1 << 30);
  CAPTURE(n, jitter_ns, eager_bytes);
  io::lab::scenario s{.ranks = n, .ranks_per_node = 3, .seed = 9};
  s.network.jitter_ns = jitter_ns;
  s.network.eager_bytes = eager_bytes;
  io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
    check_messages(world);
    check_deliveries(world);
    if (n > 1 || eager_bytes > 0) check_lengths(world);
    check_order(world);
    check_dropped_requests(world);
    check_groups_are_separate(world);
  });
}

TEST_CASE("virtual ranks: 64 of them", "[world][virtual]") {
  auto const random = GENERATE(std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2});
  io::lab::virtual_cluster({.ranks = 64, .ranks_per_node = 8, .seed = random}, roomy)
      .run([](io::lab::virtual_rank const& world) {
        check_sums(world);
        check_order(world);
        check_dropped_requests(world);
        check_groups_are_separate(world);
        check_split(world);
        CHECK(world.node().size() == 8);
        CHECK(world.node().rank() == world.rank() % 8);
        CHECK(world.node_number() == world.rank() / 8);
      });
}

TEST_CASE("virtual ranks of a node share memory, others do not", "[world][virtual]") {
  io::lab::virtual_cluster({.ranks = 7, .ranks_per_node = 3, .seed = 1}, roomy)
      .run([](io::lab::virtual_rank const& world) {
        check_split(world);
        check_shared_memory(world.node());
        std::error_code error;
        CHECK(world.share(64, error).bytes().empty());
        CHECK(error == std::errc::no_such_file_or_directory);
        io::lab::virtual_rank const node = world.node();
        CHECK(node.share(~std::size_t{0}, error).bytes().empty());
        CHECK(error == std::errc::not_enough_memory);
        CHECK_THROWS_AS(node.share(~std::size_t{0}), std::system_error);
        if (node.size() > 1) {
          CHECK(node.share(node.rank() == 0 ? 64 : 128, error).bytes().empty());
          CHECK(error == std::errc::invalid_argument);
        }
        bytes const mine(3);
        bytes all(3 * static_cast<std::size_t>(world.size()) + 1);
        CHECK_THROWS_AS(world.all_gather(mine, all), std::invalid_argument);
        CHECK_THROWS_AS(world.send(mine, 7, 1), std::invalid_argument);
      });
}

TEST_CASE("a run is a function of its scenario", "[virtual]") {
  io::lab::scenario s{.ranks = 24, .ranks_per_node = 4, .seed = seed()};
  s.network.jitter_ns = GENERATE(0, 5000);
  CAPTURE(s.seed, s.network.jitter_ns);
  auto const first = io::lab::virtual_cluster(s).run(busy), again = io::lab::virtual_cluster(s).run(busy);
  CHECK(first.trace_hash == again.trace_hash);
  CHECK(first.seconds == again.seconds);
  CHECK(first.events == again.events);
  s.seed += 1;
  CHECK(io::lab::virtual_cluster(s).run(busy).trace_hash != first.trace_hash);
}

TEST_CASE("every build gives the same trace", "[virtual]") {
  io::lab::scenario s{.ranks = 13, .ranks_per_node = 4, .seed = 3};
  s.slow.push_back({2, 1.7});
  s.network.jitter_ns = 700;
  auto const r = io::lab::virtual_cluster(s).run(busy);
  CAPTURE(to_string(r));
  CHECK(r.trace_hash == 0xa0d45ced520ec12c);
}

TEST_CASE("computing, messages and adapters take time", "[virtual]") {
  io::lab::scenario s{.ranks = 4, .ranks_per_node = 2};
  s.slow.push_back({1, 3});
  s.pauses.push_back({3, 10, 500});
  io::lab::virtual_cluster(s).run([](io::lab::virtual_rank const& world) {
    world.compute(1e-3);
    if (world.rank() == 0) CHECK(world.now() == 1e-3);
    if (world.rank() == 1) CHECK(world.now() == 3e-3);
    world.barrier();
    CHECK(world.now() > 3e-3);
    CHECK(world.now() < 3.1e-3);
  });

  // Both ranks of a node send through one adapter; within a node there is none.
  auto const took = [](int to_of_0, int to_of_1) {
    double longest = 0;
    io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2}).run([&](io::lab::virtual_rank const& world) {
      bytes memory(12'500'000);  // a millisecond
      int const from_0 = to_of_0, from_1 = to_of_1;
      if (world.rank() == 0 && to_of_0 > 0) world.send(memory, to_of_0, 1);
      if (world.rank() == 1 && to_of_1 > 0) world.send(memory, to_of_1, 1);
      if (world.rank() == from_0) world.receive(memory, 0, 1);
      if (world.rank() == from_1) world.receive(memory, 1, 1);
      longest = std::max(longest, world.now());
    });
    return longest;
  };
  CHECK(took(2, -1) > 1.0e-3);
  CHECK(took(2, -1) < 1.1e-3 + 1.0e-3);
  CHECK(took(2, 3) > took(2, -1) + 0.9e-3);
  CHECK(took(1, -1) < 1.7e-3);
}

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
  CHECK_THAT(words,
             ContainsSubstring(
                 "receive from rank 3 (which has left its program), tag 77, communicator 0, at virtual_cluster.cpp:"));
  CHECK_THAT(words, ContainsSubstring("barrier of communicator 0, for ranks 2, 3 (which has left its program)"));
  CHECK_THAT(words,
             ContainsSubstring("the last collective call that it passed is barrier, number 1 of communicator 0"));

  words = what_of(
      cluster,
      [](io::lab::virtual_rank const& world) {
        bytes const memory(1 << 20);
        world.send(memory, (world.rank() + 1) % world.size(), 5);
      },
      io::lab::virtual_run_error::reason::deadlock);
  CHECK_THAT(words, ContainsSubstring("send to rank 1, tag 5"));
  CHECK_THAT(words, ContainsSubstring("4 of 4 ranks wait"));

  // Whoever takes the end of the run for its own error meets it again.
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
  for (int const r : {0, 1, 2, 4, 6, 7}) blocked.push_back({r, false, 1e-6 * r, "a barrier", "nothing passed"});
  blocked.push_back({6, true, 0, "a barrier", "nothing passed"});
  blocked.push_back({8, false, 0, "a lock", "nothing passed"});
  CHECK(io::lab::lines_of(blocked) ==
        std::vector<std::string>{"ranks 0-2, 4, 6-7 wait since 0.000000000 to 0.000007000 s: a barrier; nothing passed",
                                 "rank 6 in the background waits since 0.000000000 s: a barrier; nothing passed",
                                 "rank 8 waits since 0.000000000 s: a lock; nothing passed"});
  std::string const words = what_of(
      io::lab::virtual_cluster({.ranks = 200}),
      [](io::lab::virtual_rank const& world) {
        if (world.rank() != 5) world.barrier();
      },
      io::lab::virtual_run_error::reason::deadlock);
  CHECK_THAT(words,
             ContainsSubstring("ranks 0-4, 6-199 wait since 0.000000000 s: barrier of communicator 0, for rank 5"));
  CHECK(std::count(words.begin(), words.end(), '\n') == 1);
}

TEST_CASE("what the scenario has and no rank comes to is in the report", "[virtual][faults]") {
  io::lab::scenario s{.ranks = 3};
  s.deaths = {{.rank = 0, .operation = 2}, {.rank = 1, .operation = 100}, {.rank = 0, .operation = 50}};
  s.pauses = {{.rank = 2, .at_us = 0, .for_us = 1}, {.rank = 2, .at_us = 1'000'000, .for_us = 1}};
  auto const program = [](io::lab::virtual_rank const& world) {
    world.pause();
    world.pause();
  };
  io::lab::virtual_report const r = io::lab::virtual_cluster(s).run(program);
  CHECK(r.did_not_happen == std::vector<std::string>{"pause=2:1000000:1", "die=1:100", "die=0:50"});
  CHECK_THAT(to_string(r), ContainsSubstring("; 3 faults did not happen: pause=2:1000000:1 die=1:100 die=0:50"));
  s.deaths.clear();
  s.pauses.clear();
  CHECK(to_string(io::lab::virtual_cluster(s).run(program)).find("did not happen") == std::string::npos);
}

TEST_CASE("ranks in different collective calls are found", "[virtual]") {
  auto const mismatch = io::lab::virtual_run_error::reason::mismatch;
  io::lab::virtual_cluster const cluster({.ranks = 3});
  CHECK_THAT(
      what_of(
          cluster,
          [](io::lab::virtual_rank const& world) {
            io::reducible_sum sum;
            if (world.rank() == 1) world.barrier();
            world.all_reduce(sum);
          },
          mismatch),
      ContainsSubstring("are in different collective calls: all_reduce of 8 bytes on rank 0 at virtual_cluster.cpp:") &&
          ContainsSubstring("barrier on rank 1 at virtual_cluster.cpp:"));
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
  CHECK_THAT(
      what_of(
          cluster,
          [](io::lab::virtual_rank const& world) {
            bytes memory(10);
            if (world.rank() == 0) world.send(memory, 1, 1);
            if (world.rank() == 1) world.receive(std::span(memory).first(9), 0, 1);
          },
          io::lab::virtual_run_error::reason::too_long),
      ContainsSubstring("rank 1 receives a message of 10 bytes from rank 0, tag 1, communicator 0, into 9 bytes"));
  CHECK_THAT(what_of(
                 io::lab::virtual_cluster({.ranks = 2}, {.most_events = 1000}),
                 [](io::lab::virtual_rank const& world) {
                   for (;;) world.pause();
                 },
                 io::lab::virtual_run_error::reason::too_many_events),
             ContainsSubstring("more than 1000 events"));
}

TEST_CASE("what a program throws comes out of the run", "[virtual]") {
  io::lab::virtual_cluster const cluster({.ranks = 5, .seed = 4});
  CHECK_THROWS_WITH(cluster.run([](io::lab::virtual_rank const& world) {
    world.barrier();
    if (world.rank() == 3) throw std::runtime_error("of rank 3");
    world.barrier();
  }),
                    "of rank 3");
  // Exceptions in flight belong to their rank.
  cluster.run([](io::lab::virtual_rank const& world) {
    for (int i = 0; i < 10; ++i) try {
        throw world.rank() * 10 + i;
      } catch (int thrown) {
        world.barrier();
        CHECK(thrown == world.rank() * 10 + i);
        try {
          try {
            throw std::runtime_error("inner " + std::to_string(world.rank()));
          } catch (...) {
            world.barrier();
            throw;
          }
        } catch (std::runtime_error const& e) {
          CHECK(e.what() == "inner " + std::to_string(world.rank()));
        }
      }
    CHECK(std::uncaught_exceptions() == 0);
  });
  CHECK_THROWS_AS(cluster.run([&](io::lab::virtual_rank const&) { cluster.run(busy); }), std::logic_error);
  CHECK_THROWS_AS(io::lab::virtual_cluster({.ranks = 0}).run(busy), std::invalid_argument);
  CHECK_THROWS_AS(io::lab::virtual_cluster({.ranks = 2, .deaths = {{2, 1}}}).run(busy), std::invalid_argument);
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
          io::reducible_sum sum{1};
          if (i % 3 == 0) world.barrier();
          if (i % 3 == 1) world.all_reduce(sum);
          if (i % 3 == 2) world.exclusive_sum(1);
          ++passed[me];
        }
      } catch (io::rank_failure const& lost) {
        told[me] = lost.rank();
        CHECK_THROWS_AS(world.barrier(), io::rank_failure);  // and all later ones
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

TEST_CASE("a rank waits for shared memory to change, in virtual time", "[world][virtual]") {
  static_assert(io::node_waiting<io::lab::virtual_rank>);
  int const n = GENERATE(2, 3, 8);
  CAPTURE(n);
  auto const run = [n] {
    return io::lab::virtual_cluster({.ranks = n, .ranks_per_node = 8, .seed = 3})
        .run([](io::lab::virtual_rank const& world) {
          io::shared_memory const shared = world.share(64);
          auto& word = *static_cast<std::uint32_t*>(static_cast<void*>(shared.bytes().data()));
          std::atomic_ref<std::uint32_t> const turn(word);
          int const me = world.rank();
          // Round and round: each adds one when it is its turn, a millisecond later.
          for (std::uint32_t round = 0; round < 3; ++round) {
            auto const mine = round * static_cast<std::uint32_t>(world.size()) + static_cast<std::uint32_t>(me);
            for (std::uint32_t seen = turn.load(); seen != mine; seen = turn.load()) world.wait(word, seen);
            CHECK(world.now() >= 1e-3 * mine);
            CHECK(world.now() < 1e-3 * mine + 1e-4);
            world.compute(1e-3);
            world.pause();
            turn.fetch_add(1);
            world.wake(word);
          }
          world.wait(word, 12345);  // it is another value: no wait
        });
  };
  CHECK(run().trace_hash == run().trace_hash);
}

TEST_CASE("who waits for shared memory in vain is in the deadlock report", "[virtual]") {
  std::string const words = what_of(
      io::lab::virtual_cluster({.ranks = 3, .seed = 2}),
      [](io::lab::virtual_rank const& world) {
        io::shared_memory const shared = world.share(64);
        auto& word = *static_cast<std::uint32_t*>(static_cast<void*>(shared.bytes().data()));
        if (world.rank() == 1) world.compute(1e-3);
        if (world.rank() == 1) world.wake(word);  // in vain: it did not change
        for (; world.rank() != 1 && std::atomic_ref(word).load() == 0;) world.wait(word, 0);
      },
      io::lab::virtual_run_error::reason::deadlock);
  CHECK_THAT(words, ContainsSubstring("2 of 3 ranks wait"));
  CHECK_THAT(words, ContainsSubstring("ranks 0, 2 wait since 0.000") && ContainsSubstring(" to 0.001") &&
                        ContainsSubstring(": shared memory of communicator 0 to change, at virtual_cluster.cpp:"));
}

TEST_CASE("who waits for shared memory learns of a death, and of a revoked communicator", "[virtual][faults]") {
  bool const dies = GENERATE(true, false);
  int told = 0, seen = 0;
  io::lab::scenario s{.ranks = 4, .seed = 5};
  if (dies) s.deaths.push_back({2, 4});  // before its wake
  auto const r = io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
    io::lab::virtual_rank const all = world.duplicate();
    io::shared_memory const shared = all.share(64);
    auto& word = *static_cast<std::uint32_t*>(static_cast<void*>(shared.bytes().data()));
    if (world.rank() == 2) {
      world.pause();
      if (!dies) world.revoke();
      if (!dies) return;
      all.wake(word);
      FAIL("it is dead");
    }
    CHECK_THROWS_AS(all.wait(word, 0), io::rank_failure);
    ++told;
    CHECK_THROWS_AS(all.wait(word, 0), io::rank_failure);  // and those that come later
    world.compute(1e-2);
    world.pause();
    std::atomic_ref(word).store(1);
    all.wait(word, 0);  // what is there is there
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
      for (int i = 0; i < 5; ++i) world.send(std::span(memory).first(static_cast<std::size_t>(i)), 0, 1);
    if (world.rank() == 0) {
      for (std::size_t i = 0; i < 3; ++i) CHECK(world.receive(memory, 1, 1) == i);
      CHECK_THROWS_AS(world.receive(memory, 1, 1), io::rank_failure);
      CHECK_THROWS_AS(world.receive(memory, 1, 2), io::rank_failure);
      CHECK_NOTHROW(world.send(memory, 1, 1));
      CHECK_THROWS_AS(world.send(large, 1, 1), io::rank_failure);
    }
    if (world.rank() == 2) {
      io::lab::virtual_rank::request r[] = {world.start_send(large, 1, 3), world.start_receive(memory, 1, 3)};
      CHECK_THROWS_AS(io::lab::virtual_rank::wait_all(r), io::rank_failure);
      CHECK_NOTHROW(io::lab::virtual_rank::wait_all(r));
    }
  });

  // A rank that leaves its program by rank_failure is a dead one to the others.
  s.deaths = {{1, 1}};
  auto const r = io::lab::virtual_cluster(s).run([](io::lab::virtual_rank const& world) {
    bytes memory(1);
    if (world.rank() == 1) world.pause();
    if (world.rank() == 0) world.receive(memory, 1, 1);
    if (world.rank() == 2) CHECK_THROWS_AS(world.receive(memory, 0, 1), io::rank_failure);
  });
  CHECK(r.dead == std::vector<int>{1, 0});
}

TEST_CASE("after a revoke no receive gets the message of another", "[virtual][faults]") {
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1}).run([](io::lab::virtual_rank const& world) {
    bytes memory(8);
    if (world.rank() == 1) {
      world.compute(1e-3);
      world.send(std::span(memory).first(8), 0, 1);
      world.send(std::span(memory).first(2), 0, 1);
    }
    if (world.rank() == 2) world.revoke();
    if (world.rank() != 0) return;
    CHECK_THROWS_AS(world.receive(memory, 1, 1), io::rank_failure);  // was waiting
    world.compute(1e-2);
    world.pause();
    CHECK_THROWS_AS(world.receive(std::span(memory).first(2), 1, 1), io::rank_failure);
  });
}

TEST_CASE("scenarios have a text form", "[virtual]") {
  io::lab::scenario s{.ranks = 64, .ranks_per_node = 4, .seed = 18446744073709551615u};
  CHECK(to_string(io::lab::scenario{.ranks = 3}) == "ranks=3");
  CHECK(io::lab::parse_scenario("") == io::lab::scenario());
  CHECK(io::lab::parse_scenario(to_string(s)) == s);
  s.network.jitter_ns = 12;
  s.disk.capacity_bytes = 1 << 20;
  s.disk.has_locks = false;
  s.faults.push_back({3, io::fail_at(io::file_call::write, 2, std::errc::no_space_on_device)});
  s.faults.push_back({-1, io::interrupt_at(io::file_call::read, 1, io::fault::forever)});
  s.faults.push_back({0, io::shorten_at(io::file_call::write, 1, 100)});
  s.faults.push_back({0, io::delay_at(io::file_call::sync, 1, std::chrono::microseconds(3), 7)});
  s.faults.push_back({5, {.kind = io::file_call::lock, .error = {13, io::category()}}});
  s.slow.push_back({1, 2.1});
  s.pauses.push_back({1, 20, 30});
  s.deaths.push_back({5, 40});
  CAPTURE(to_string(s));
  CHECK(io::lab::parse_scenario(to_string(s)) == s);
  CHECK_THAT(to_string(s),
             ContainsSubstring("fault=rank:3,call:write,first:2,error:ENOSPC") && ContainsSubstring("die=5:40"));
  CHECK_THROWS_WITH(io::lab::parse_scenario("ranks=4 wheels=3"), ContainsSubstring("'wheels=3'"));
  CHECK_THROWS_WITH(io::lab::parse_scenario("ranks=4x"), ContainsSubstring("'ranks=4x'"));
  CHECK_THROWS_WITH(io::lab::parse_scenario("fault=call:sing"), ContainsSubstring("no such call"));
  CHECK_THROWS_WITH(io::lab::parse_scenario("fault=error:ENOFUN"), ContainsSubstring("errno"));
  // What could not be printed and read back, or would have no meaning.
  for (char const* bad : {"slow=1:nan", "slow=1:inf", "slow=1:0", "fault=error:argosy:0", "fault=error:0",
                          "fault=first:0", "fault=first:-9223372036854775808", "fault=times:0", "fault=bytes:-1",
                          "fault=delay_ns:-1", "fault=delay_ns:9223372036854775807"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(io::lab::parse_scenario(bad), std::invalid_argument);
  }
}

TEST_CASE("a timeline is JSON, with a row for each rank", "[virtual]") {
  auto const r = io::lab::virtual_cluster({.ranks = 6, .ranks_per_node = 4, .seed = 1}, {.timeline = true}).run(busy);
  CHECK(r.timeline.size() > 100);
  std::string const text = timeline_json(r);
  json const parsed(text);
  CHECK(parsed.fine);
  CHECK(parsed.objects > 200);
  for (std::string const part : {"\"name\":\"rank 5\"", "\"name\":\"node 1\"", "\"name\":\"all_reduce\"",
                                 "\"name\":\"send\"", "\"name\":\"compute\""})
    CHECK_THAT(text, ContainsSubstring(part));
  for (io::lab::virtual_span const& s : r.timeline) {
    CHECK(s.begin_ps >= 0);
    CHECK(s.begin_ps <= s.end_ps);
  }
  CHECK(io::lab::virtual_cluster({.ranks = 2}).run(busy).timeline.empty());
}

TEST_CASE("many ranks", "[virtual]") {
#if defined(__SANITIZE_ADDRESS__)
  int const n = 1024;
#else
  int const n = 16384;
#endif
  io::lab::virtual_cluster const cluster({.ranks = n, .ranks_per_node = 64, .seed = 1});
  int right = 0;
  auto const r = cluster.run([&](io::lab::virtual_rank const& world) {
    world.barrier();
    io::reducible_sum sum{world.rank()};
    world.all_reduce(sum);
    right += sum.value == std::int64_t{n} * (n - 1) / 2;
  });
  CHECK(right == n);
  CHECK(r.collectives == 2);
  CHECK(r.seconds < 1e-3);
}
