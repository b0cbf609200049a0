// The world over a service: it must do what every world does, while the program is in other calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/detail/served_world.hpp>
#include <argosy/world/mpi.hpp>
#include <argosy/world/rank_failure.hpp>

#include "support/catch.hpp"
#include "support/nodes_world.hpp"
#include "support/world_cases.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace io = argosy;
using namespace io::test;
using io::detail::served_world;

namespace {

template <class World>
served_world beside(World const& world, World const& node) {
  std::error_code error;
  auto made = served_world::beside(world, node, error);
  REQUIRE(made);
  return std::move(*made);
}
template <class World>
served_world beside(World const& world) {
  return beside(world, world.node());
}

constexpr nodes_world::shape pairs{2, false, true};
nodes_world two_to_a_node() { return {io::mpi(MPI_COMM_WORLD), pairs}; }
// Its nodes can share memory. If the test runs on several hosts, ranks of a node of `program` may
// be on different ones.
served_world beside_with_memory(nodes_world const& program) {
  return beside(program, {program.node().mpi::node(), pairs});
}

}  // namespace

TEST_CASE("ranks exchange over a service what they exchange elsewhere", "[world][served]") {
  served_world const world = beside(two_to_a_node());
  check_reductions(world);
  check_sums(world);
  check_deliveries(world);
  check_gathers_and_broadcasts(world);
  check_messages(world);
  check_lengths(world);
  check_order(world);
  check_dropped_requests(world);
  check_groups_are_separate(world);
  check_split(world);
  check_shared_memory(beside(io::mpi(MPI_COMM_WORLD)).node());
}

TEST_CASE("its nodes are those of the world beside which it is", "[world][served]") {
  nodes_world const program = two_to_a_node();
  served_world const world = beside(program);
  served_world const node = world.node();
  CHECK(node.size() == program.node().size());
  CHECK(node.rank() == program.node().rank());
  CHECK(world.host_name() == program.host_name());
}

TEST_CASE("a thread uses it while the program waits in MPI", "[world][served]") {
  nodes_world const program = two_to_a_node();
  served_world const world = beside(program);
  std::int64_t sum = 0;
  std::thread beside_the_program([&] { sum = world.exclusive_sum(1); });
  if (program.rank() == 0) {  // the other ranks' threads need this one's, which goes on
    for (int r = 1; r < program.size(); ++r) program.receive({}, r, 1);
    beside_the_program.join();
  } else {
    beside_the_program.join();
    program.send({}, 0, 1);
  }
  CHECK(sum == program.rank());
}

TEST_CASE("ranks are asked for what is no message", "[world][served]") {
  nodes_world const program = two_to_a_node();
  std::atomic<int> asked{0};
  served_world const world = beside(program);
  world.listen([&](int from, std::span<std::byte const> request) {
    ++asked;
    io::test::bytes answer(request.begin(), request.end());
    answer.push_back(static_cast<std::byte>(from));
    return answer;
  });
  world.barrier();
  std::vector<io::extend::parcel> questions;
  for (int r = 0; r < world.size(); ++r) questions.push_back({r, content(3, world.rank())});
  auto const answers = world.ask(questions);
  for (auto const& a : answers) {
    CHECK_FALSE(a.error);
    io::test::bytes expected = content(3, world.rank());
    expected.push_back(static_cast<std::byte>(world.rank()));
    CHECK(a.content == expected);
  }
  world.barrier();
  CHECK(asked == world.size());
}

TEST_CASE(
    "who answers for a world is forgotten when it ends, though others beside the same program go "
    "on",
    "[world][served]") {
  nodes_world const program = two_to_a_node();
  served_world const stays = beside(program);
  auto kept = std::make_shared<int>();
  std::weak_ptr<int> const seen = kept;
  {
    served_world const ends = beside(program);
    ends.listen([kept](int, std::span<std::byte const>) { return io::test::bytes(); });
    kept.reset();
    CHECK_FALSE(seen.expired());
  }
  CHECK(seen.expired());
  stays.barrier();
}

TEST_CASE("worlds beside one world and its duplicates exchange apart, also one after the other",
          "[world][served]") {
  nodes_world const program = two_to_a_node(), other = program.duplicate();
  for (int i = 0; i < 20; ++i) {
    served_world const a = beside(program), b = beside(other),
                       c = beside(i % 2 == 0 ? program : other);
    std::vector<std::int64_t> sums;
    std::thread beside_the_program([&] {
      for (int k = 0; k < 10; ++k) sums.push_back(b.exclusive_sum(k));
    });
    check_gathers_and_broadcasts(c);
    beside_the_program.join();
    for (int k = 0; k < 10; ++k) CHECK(sums[static_cast<std::size_t>(k)] == k * b.rank());
    if (program.rank() == 0)
      for (int r = 1; r < a.size(); ++r) a.send(content(5, r, 1), r, 3);
    for (int r = 1; r < b.size(); ++r)
      if (program.rank() == 0)
        b.send(content(5, r, 2), r, 3);
      else if (program.rank() == r) {
        io::test::bytes first(5), second(5);
        b.receive(second, 0, 3);
        a.receive(first, 0, 3);
        CHECK(first == content(5, r, 1));
        CHECK(second == content(5, r, 2));
      }
  }
}

TEST_CASE("long messages wait for their receivers", "[world][served]") {
  nodes_world const program = two_to_a_node();
  served_world const world = beside(program);
  int const last = program.size() - 1;
  if (last == 0) return;
  io::test::bytes message = content(1 << 20, 0);
  if (program.rank() == 0) {
    std::atomic<bool> ended{false};
    std::thread sends([&] {
      world.send(message, last, 1);
      ended = true;
    });
    program.receive({}, last, 1);  // the other rank was idle for a while
    CHECK_FALSE(ended);
    program.send({}, last, 2);
    sends.join();
  } else if (program.rank() == last) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    program.send({}, 0, 1);
    program.receive({}, 0, 2);
    io::test::bytes got(message.size());
    CHECK(world.receive(got, 0, 1) == message.size());
    CHECK(got == message);
  }
}

// A rank that cannot reach another one leaves, and so must all others, wherever they wait: for
// messages, in groups, or in memory.
TEST_CASE("where one message is lost, no rank waits for another", "[world][served][errors]") {
  nodes_world const program = two_to_a_node();
  if (program.size() == 1) return;
  for (int who : {0, program.size() - 1}) {
    if (who == 0 && program.size() > 4) continue;  // it takes seconds there
    for (int answered = 0, lost = 1; lost != 0; ++answered) {
      served_world const world = beside_with_memory(program);
      MPI_Barrier(MPI_COMM_WORLD);
      if (program.rank() == who) nodes_world::until_loss = answered;
      MPI_Barrier(MPI_COMM_WORLD);
      int left = 0, unreachable = -1;
      try {
        std::int64_t const before = world.exclusive_sum(1);
        CHECK(before == world.rank());
        io::test::bytes message(100000);  // longer than messages that are sent in advance
        world.broadcast(message, world.size() - 1);
        served_world const node = world.node();
        io::extend::shared_memory const memory = node.share(sizeof(std::uint32_t));
        auto& word = *reinterpret_cast<std::uint32_t*>(memory.bytes().data());
        world.barrier();
        if (node.rank() == 0) {
          std::atomic_ref(word).store(1, std::memory_order_release);
          node.wake(word);
        }
        while (std::atomic_ref(word).load(std::memory_order_acquire) == 0) node.wait(word, 0);
        world.barrier();
      } catch (io::extend::rank_failure const& e) {
        left = 1;
        unreachable = e.rank();
        world.revoke(e.rank());
      }
      MPI_Barrier(MPI_COMM_WORLD);
      lost = nodes_world::until_loss < 0 ? 1 : 0;
      if (program.rank() == who) nodes_world::until_loss = -1;
      MPI_Bcast(&lost, 1, MPI_INT, who, MPI_COMM_WORLD);
      CAPTURE(who, answered, lost, left, unreachable);
      int leavers = left;
      MPI_Allreduce(&left, &leavers, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      CHECK((leavers > 0) == (lost != 0));
      if (lost == 0) break;
      // Ranks that had finished before must fail at their next call, too.
      CHECK_THROWS_AS(world.barrier(), io::extend::rank_failure);
      if (left != 0) CHECK(unreachable >= 0);
    }
  }
}
