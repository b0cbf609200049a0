// The world of one rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/self.hpp>

#include "support/service_cases.hpp"
#include "support/world_cases.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("one rank reduces, sums, gathers and broadcasts alone", "[world][self]") {
  io::self const world;
  CHECK(world.rank() == 0);
  CHECK(world.size() == 1);
  check_reductions(world);
  check_sums(world);
  check_gathers_and_broadcasts(world);
}

TEST_CASE("one rank sends messages to itself", "[world][self]") {
  io::self const world;
  check_messages(world);
  check_deliveries(world);
  check_lengths(world);
  check_order(world);
  check_dropped_requests(world);
}

TEST_CASE("groups of one rank have messages of their own", "[world][self]") {
  io::self const world;
  check_groups_are_separate(world);
  check_split(world);
}

TEST_CASE("one rank shares memory with itself", "[world][self]") {
  check_shared_memory(io::self());
  std::error_code error;
  CHECK(io::self().share(~std::size_t{0}, error).bytes().empty());
  CHECK(error == std::errc::not_enough_memory);
  CHECK_THROWS_AS(io::self().share(~std::size_t{0}), std::system_error);
}

TEST_CASE("one rank answers itself", "[service][self]") {
  check_answers(io::self());
  check_end_of_service(io::self());
  check_two_services(io::self());
  std::error_code error;
  auto const mine =
      io::self().serve([](int, std::span<std::byte const>) { return bytes(); }, error);
  CHECK_THROWS_AS(mine->call({{1, {}}}), std::invalid_argument);
}

TEST_CASE("where one rank would wait for ever, it throws", "[world][self]") {
  io::self const world;
  bytes memory(8);
  CHECK_THROWS_AS(world.receive(memory, 0, 1), std::logic_error);
  world.send(memory, 0, 2);
  CHECK_THROWS_AS(world.receive(memory, 0, 1), std::logic_error);
  CHECK_THROWS_AS(world.duplicate().receive(memory, 0, 2), std::logic_error);
  io::self::request request = world.start_receive(memory, 0, 1);
  CHECK_THROWS_AS(io::self::wait_all({&request, 1}), std::logic_error);
  world.send(memory, 0, 1);
  CHECK_NOTHROW(io::self::wait_all({&request, 1}));
  // longer than the receiver's memory
  CHECK_THROWS_AS(world.receive(std::span(memory).first(7), 0, 2), std::logic_error);
  CHECK_THROWS_AS(world.send(memory, 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(world.broadcast(memory, 1), std::invalid_argument);
}
