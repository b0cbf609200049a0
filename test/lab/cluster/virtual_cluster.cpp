// The virtual cluster: its ranks as a world, its clock, its reports.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "lab/cluster/virtual_cluster_cases.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"
#include "support/world_cases.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using namespace io::test;

namespace {

// A parser that only finds out whether a text is JSON.
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
      while (at != end && (std::isalnum(static_cast<unsigned char>(*at)) || *at == '-' ||
                           *at == '.' || *at == '+'))
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
  auto const first = io::lab::virtual_cluster(s).run(busy),
             again = io::lab::virtual_cluster(s).run(busy);
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

  // Both ranks of a node send through one adapter; messages within a node use none.
  auto const took = [](int to_of_0, int to_of_1) {
    double longest = 0;
    io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2})
        .run([&](io::lab::virtual_rank const& world) {
          bytes memory(12'500'000);  // takes a millisecond
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
  CHECK_THROWS_AS(cluster.run([&](io::lab::virtual_rank const&) { cluster.run(busy); }),
                  std::logic_error);
  CHECK_THROWS_AS(io::lab::virtual_cluster({.ranks = 0}).run(busy), std::invalid_argument);
  using Catch::Matchers::Equals;
  CHECK_THROWS_WITH(io::lab::virtual_cluster({.ranks = 2, .deaths = {{2, 1}}}).run(busy),
                    Equals("argosy::lab::virtual_cluster: death of rank 2, but there are 2 ranks"));
  CHECK_THROWS_WITH(io::lab::virtual_cluster({.ranks = 3, .slow = {{-1, 2}}}).run(busy),
                    Equals("argosy::lab::virtual_cluster: slow of rank -1, but there are 3 ranks"));
  CHECK_THROWS_WITH(io::lab::virtual_cluster({.ranks = 3, .pauses = {{3, 1, 1}}}).run(busy),
                    Equals("argosy::lab::virtual_cluster: pause of rank 3, but there are 3 ranks"));
}

TEST_CASE("a rank waits for shared memory to change, in virtual time", "[world][virtual]") {
  static_assert(io::extend::node_waiting<io::lab::virtual_rank>);
  int const n = GENERATE(2, 3, 8);
  CAPTURE(n);
  auto const run = [n] {
    return io::lab::virtual_cluster({.ranks = n, .ranks_per_node = 8, .seed = 3})
        .run([](io::lab::virtual_rank const& world) {
          io::extend::shared_memory const shared = world.share(64);
          auto& word = *static_cast<std::uint32_t*>(static_cast<void*>(shared.bytes().data()));
          std::atomic_ref<std::uint32_t> const turn(word);
          int const me = world.rank();
          // The ranks take turns: each adds one when it is its turn, a millisecond later.
          for (std::uint32_t round = 0; round < 3; ++round) {
            auto const mine =
                round * static_cast<std::uint32_t>(world.size()) + static_cast<std::uint32_t>(me);
            for (std::uint32_t seen = turn.load(); seen != mine; seen = turn.load())
              world.wait(word, seen);
            CHECK(world.now() >= 1e-3 * mine);
            CHECK(world.now() < 1e-3 * mine + 1e-4);
            world.compute(1e-3);
            world.pause();
            turn.fetch_add(1);
            world.wake(word);
          }
          world.wait(word, 12345);  // the word has another value, so there is no wait
        });
  };
  CHECK(run().trace_hash == run().trace_hash);
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
  CHECK_THAT(to_string(s), ContainsSubstring("fault=rank:3,call:write,first:2,error:ENOSPC") &&
                               ContainsSubstring("die=5:40"));
  CHECK_THROWS_WITH(io::lab::parse_scenario("ranks=4 wheels=3"), ContainsSubstring("'wheels=3'"));
  CHECK_THROWS_WITH(io::lab::parse_scenario("ranks=4x"), ContainsSubstring("'ranks=4x'"));
  CHECK_THROWS_WITH(io::lab::parse_scenario("fault=call:sing"), ContainsSubstring("no such call"));
  CHECK_THROWS_WITH(io::lab::parse_scenario("fault=error:ENOFUN"), ContainsSubstring("errno"));
  // Values that could not be printed and read back, or would have no meaning.
  for (char const* bad :
       {"slow=1:nan", "slow=1:inf", "slow=1:0", "fault=error:argosy:0", "fault=error:0",
        "fault=first:0", "fault=first:-9223372036854775808", "fault=times:0", "fault=bytes:-1",
        "fault=delay_ns:-1", "fault=delay_ns:9223372036854775807"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(io::lab::parse_scenario(bad), std::invalid_argument);
  }
}

TEST_CASE("a timeline is JSON, with a row for each rank", "[virtual]") {
  auto const r =
      io::lab::virtual_cluster({.ranks = 6, .ranks_per_node = 4, .seed = 1}, {.timeline = true})
          .run(busy);
  CHECK(r.timeline.size() > 100);
  std::string const text = timeline_json(r);
  json const parsed(text);
  CHECK(parsed.fine);
  CHECK(parsed.objects > 200);
  for (std::string const part :
       {"\"name\":\"rank 5\"", "\"name\":\"node 1\"", "\"name\":\"all_reduce\"",
        "\"name\":\"send\"", "\"name\":\"compute\""})
    CHECK_THAT(text, ContainsSubstring(part));
  for (io::lab::virtual_span const& s : r.timeline) {
    CHECK(s.begin_ps >= 0);
    CHECK(s.begin_ps <= s.end_ps);
  }
  CHECK(io::lab::virtual_cluster({.ranks = 2}).run(busy).timeline.empty());
}

TEST_CASE("a message is in the rows of both ends, with the other end's number", "[virtual]") {
  auto const r = io::lab::virtual_cluster({.ranks = 5, .seed = 1}, {.timeline = true})
                     .run([](io::lab::virtual_rank const& world) {
                       std::vector<std::byte> letter(10);
                       if (world.rank() == 4) world.send(letter, 2, 7);
                       if (world.rank() == 2) world.receive(letter, 4, 7);
                     });
  for (auto const& [rank, peer, name] : {std::tuple(4, 2, "send"), std::tuple(2, 4, "receive")}) {
    CAPTURE(rank);
    auto const row = std::ranges::find(r.timeline, rank, &io::lab::virtual_span::rank);
    REQUIRE(row != r.timeline.end());
    CHECK((row->name == name && row->peer == peer && row->bytes == 10));
  }
}

TEST_CASE("many ranks", "[virtual]") {
  int const n = io::test::sanitized ? 1024 : 16384;
  io::lab::virtual_cluster const cluster({.ranks = n, .ranks_per_node = 64, .seed = 1});
  int right = 0;
  auto const r = cluster.run([&](io::lab::virtual_rank const& world) {
    world.barrier();
    io::detail::reducible_sum sum{world.rank()};
    world.all_reduce(sum);
    right += sum.value == std::int64_t{n} * (n - 1) / 2;
  });
  CHECK(right == n);
  CHECK(r.collectives == 2);
  CHECK(r.seconds < 1e-3);
}
