// Ranks mix up collective calls in the background and blocking ones. All calls must end, with words
// that say which rank is in which call.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/detail/ranks/call_mismatch.hpp>
#include <argosy/file/file.hpp>
#include <argosy/world/detail/served_world.hpp>

#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;
using waiting = io::detail::call_board::waiting;

namespace {

// Calls `check` in three worlds: on one node, on one node for each rank, and on two nodes to which
// ranks are dealt.
template <class Check>
void in_each_world(Check&& check) {
  io::mpi const ranks(MPI_COMM_WORLD);
  if (ranks.size() == 1) return;
  check(ranks);
  check(nodes_world(ranks, {1}));
  if (ranks.size() > 2) check(nodes_world(ranks, {(ranks.size() + 1) / 2, true}));
}

template <class World>
struct calls {
  World const& world;
  io::basic_file<World> f;
  std::array<double, 4> mine{1, 2, 3, 4}, room{};
  std::error_code error;
  std::string told;

  calls(World const& w, std::string const& path)
      : world(w), f(io::basic_file<World>::open(world, path, mode::create | mode::read_write)) {}
  int at() const { return 32 * world.rank(); }

  void wait(io::request q) {
    q.wait(error);
    told = q.what_failed();
  }
  void blocking(std::string const& name) {
    if (name == "write_at_all") f.write_at_all(at(), mine, error);
    if (name == "read_at_all") f.read_at_all(at(), room, error);
    if (name == "set_view") f.set_view(0, io::type<double>, error);
    if (name == "sync") f.sync(error);
    if (name == "set_size") f.set_size(400, error);
    if (name == "close") f.close(error);
    told = f.what_failed();
  }
  // Makes blocking calls until all ranks are in the same one.
  void come_together() {
    for (int i = 0; i < 2; ++i) f.sync(error);
    f.write_at_all(at(), mine, error);
    CHECK_FALSE(error);
    // Calls in the background are no longer possible on this file.
    wait(f.iwrite_at_all(at(), mine));
    CHECK(error == errc::not_same);
    CHECK_THAT(told, Catch::Contains("no collective calls in the background any more"));
    f.close(error);
    CHECK_FALSE(error);
  }
};

std::unique_ptr<io::detail::served_world> served_beside(nodes_world const& apart) {
  std::error_code error;
  auto served = io::detail::served_world::beside(apart, apart.node(), error);
  REQUIRE(served);
  return served;
}

// Each rank is a node of its own, with a board and a reader of it.
struct between_nodes {
  io::mpi const ranks{MPI_COMM_WORLD};
  nodes_world const apart{ranks, {1, false, true}};
  std::unique_ptr<io::detail::served_world> const served = served_beside(apart);
  std::shared_ptr<io::detail::call_board> const board = std::make_shared<io::detail::call_board>();
  std::unique_ptr<io::detail::call_mismatch> const mixed =
      io::detail::call_mismatch::between_nodes(board, *served);
};

}  // namespace

TEST_CASE("one rank in a blocking call, the others wait for one in the background: not_same",
          "[file][errors][mixed]") {
  in_each_world([](auto const& world) {
    shared_scratch const here(world);
    int number = 0;
    for (char const* name :
         {"write_at_all", "read_at_all", "set_view", "sync", "set_size", "close"})
      for (int culprit = 0; culprit < world.size(); ++culprit) {
        CAPTURE(name, culprit);
        calls c(world, here / ("f" + std::to_string(number++)));
        c.wait(c.f.iwrite_at_all(c.at(), c.mine));  // all ranks make it: no mistake
        CHECK_FALSE(c.error);
        if (number % 3 == 0) c.f.sync();  // blocking calls that have ended do not matter
        if (world.rank() == culprit) {
          c.blocking(name);  // the other ranks' next sync is in the same agreement
          CHECK((c.error == errc::not_same || std::string(name) == "sync"));
          if (std::string(name) != "sync") c.f.sync(c.error);
        } else {
          c.wait(c.f.iwrite_at_all(c.at(), c.mine));
          CHECK(c.error == errc::not_same);
          // A rank that begins after the mismatch was found gets other words.
          CHECK_THAT(c.told, (Catch::Contains("rank " + std::to_string(culprit) + " is in " + name +
                                              " at ") &&
                              Catch::Contains("has not begun iwrite_at_all at ")) ||
                                 (Catch::Contains("rank " + std::to_string(culprit) + " was in " +
                                                  name + " at ") &&
                                  Catch::Contains("had not begun one that others had")));
          CHECK_THAT(c.told, Catch::Contains("mixed_calls.cpp"));
          c.f.sync(c.error);
          CHECK((c.error == errc::not_same || std::string(name) == "sync"));
          if (std::string(name) != "sync") c.f.sync(c.error);
        }
        CHECK_FALSE(c.error);
        c.come_together();
      }
  });
}

TEST_CASE(
    "a call in the background that one rank begins alone is an error there, when it waits or "
    "closes",
    "[file][errors][mixed]") {
  in_each_world([](auto const& world) {
    shared_scratch const here(world);
    for (int culprit = 0; culprit < world.size(); ++culprit)
      for (int before : {0, 2}) {
        CAPTURE(culprit, before);
        calls c(world, here / ("f" + std::to_string(2 * culprit + before / 2)));
        std::vector<io::request> begun;
        for (int i = 0; i < before; ++i) begun.push_back(c.f.iwrite_at_all(c.at(), c.mine));
        std::array<double, 4> other{};
        io::request more;
        bool const mine = world.rank() == culprit;
        if (mine) more = c.f.iread_at_all(0, other);
        for (io::request& q : begun) {
          q.wait(c.error);
          CHECK_FALSE(c.error);
        }
        int const line = __LINE__ + 1;
        c.f.sync(c.error);
        CHECK_FALSE(c.error);  // all ranks are in it
        if (mine) {
          c.wait(std::move(more));
          CHECK(c.error == errc::not_same);
          CHECK_THAT(c.told,
                     Catch::Contains("is in sync at ") &&
                         Catch::Contains("mixed_calls.cpp:" + std::to_string(line) + ", and ") &&
                         Catch::Contains("has not begun iread_at_all") &&
                         Catch::Contains("which 1 of " + std::to_string(world.size()) +
                                         " ranks have begun"));
        }
        c.come_together();

        // If the request is dropped, close reports the error.
        calls d(world, here / ("g" + std::to_string(2 * culprit + before / 2)));
        if (mine) (void)d.f.iread_at_all(0, other);
        d.f.close(d.error);
        CHECK(d.error == errc::not_same);
        CHECK_FALSE(d.f.is_open());
      }
  });
}

TEST_CASE("split calls against blocking ones, and a rank that leaves one out, end as well",
          "[file][errors][mixed]") {
  in_each_world([](auto const& world) {
    shared_scratch const here(world);
    int const last = world.size() - 1;
    calls c(world, here / "f");
    if (world.rank() == last) {
      c.f.sync(c.error);
    } else {
      c.f.begin_write_at_all(c.at(), c.mine);
      c.f.end(c.error);
      CHECK(c.error == errc::not_same);
      CHECK_THAT(c.f.what_failed(),
                 Catch::Contains("rank " + std::to_string(last) + " is in sync at "));
      c.f.sync(c.error);
    }
    CHECK_FALSE(c.error);
    c.come_together();
  });
}

TEST_CASE("ranks that are watched, all or one of them, are found as any others",
          "[file][errors][mixed][watch]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  auto const check = [&](auto const& world) {
    shared_scratch const here(world);
    for (int culprit = 0; culprit < world.size(); ++culprit) {
      CAPTURE(culprit);
      calls c(world, here / ("f" + std::to_string(culprit)));
      if (world.rank() == culprit) {
        c.f.sync(c.error);
      } else {
        c.wait(c.f.iwrite_at_all(c.at(), c.mine));
        CHECK(c.error == errc::not_same);
        CHECK_THAT(c.told, Catch::Contains("rank " + std::to_string(culprit)));
        c.f.sync(c.error);
      }
      CHECK_FALSE(c.error);
      c.come_together();
    }
  };
  for (bool const all : {true, false}) {
    CAPTURE(all);
    if (all || ranks.rank() == 0) ::setenv("ARGOSY_WATCH", "100", 1);
    in_each_world(check);
    check(nodes_world(ranks, {1, false, false}));  // the ranks share no memory
    ::unsetenv("ARGOSY_WATCH");
  }
}

TEST_CASE(
    "many calls of both kinds, in one order but with ranks far apart, never look like mistakes",
    "[file][mixed][random]") {
  in_each_world([](auto const& world) {
    shared_scratch const here(world);
    calls c(world, here / "f");
    for (int i = 0; i < 300; ++i) {
      std::vector<io::request> begun;
      for (int k = 0; k < i % 4; ++k) begun.push_back(c.f.iwrite_at_all(c.at(), c.mine));
      if (i % 3 == 0) c.f.write_at_all(c.at(), c.mine);
      if (i % 50 == world.rank()) {
        // longer than others wait before they look for mistakes
        double const until = MPI_Wtime() + 0.06;
        while (MPI_Wtime() < until) {
        }
      }
      for (io::request& q : begun) {
        q.wait(c.error);
        CHECK_FALSE(c.error);
      }
      if (i % 5 == 0) c.f.sync();
    }
    c.f.close();
  });
}

TEST_CASE("who finds that not all can begin a call has begun it, also where that was not told yet",
          "[file][errors][mixed]") {
  between_nodes each;
  auto& [ranks, apart, served, board, mixed] = each;
  io::extend::source_location const here = io::extend::source_location::current();
  bool const finds = ranks.rank() == ranks.size() - 1;
  {
    auto const inside = finds ? nullptr : std::make_unique<waiting>(board.get(), "sync", here);
    MPI_Barrier(MPI_COMM_WORLD);
    if (finds) {
      mixed->begin("iread_at_all", here);
      mixed->look(1);  // rank 0 does not know that the call has begun
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  REQUIRE(mixed->is_void(1));
  io::extend::agreement const why = mixed->fault("iread_at_all", here, false);
  CHECK(why.failed_rank == (ranks.size() > 2 ? ranks.size() - 1 : 0));
  CHECK_THAT(why.detail,
             Catch::Contains("which 1 of " + std::to_string(ranks.size()) + " ranks have begun"));
}

TEST_CASE("words of who has begun and of what was decided are lost, and nobody waits for them",
          "[file][errors][mixed]") {
  between_nodes each;
  auto& [ranks, apart, served, board, mixed] = each;
  io::extend::source_location const here = io::extend::source_location::current();
  bool const is_deaf = ranks.rank() == ranks.size() - 1;
  if (is_deaf)
    served->listen(
        [](int, std::span<std::byte const>) -> std::vector<std::byte> { throw std::bad_alloc(); });
  MPI_Barrier(MPI_COMM_WORLD);
  mixed->begin("iread_at_all", here);
  if (is_deaf)
    mixed->look(1);  // the others do not know that it has begun
  else
    CHECK(mixed->all_begin(1, true));
  MPI_Barrier(MPI_COMM_WORLD);
  if (is_deaf) CHECK(mixed->all_begin(1, true));

  // Call 2 is void, because rank 0 waits in another call.
  MPI_Barrier(MPI_COMM_WORLD);
  {
    auto const inside =
        ranks.rank() > 0 ? nullptr : std::make_unique<waiting>(board.get(), "sync", here);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ranks.rank() > 0) {
      mixed->begin("iread_at_all", here);
      CHECK_FALSE(mixed->all_begin(2, true));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  CHECK(mixed->is_void(2));
  CHECK_FALSE(mixed->is_void(1));
  CHECK_THAT(mixed->fault("iread_at_all", here, false).detail, Catch::Contains("sync"));
}
