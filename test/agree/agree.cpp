// The decision of all ranks whether a call may begin, and whether it succeeded. One page because
// all cases check one outcome on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/agree/detail/agree.hpp>
#include <argosy/error/error.hpp>
#include <argosy/error/mpi.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/world/mpi.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "error/error_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/files_on_worlds.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::errc;
using io::detail::arguments;
using io::extend::agreement;
using io::extend::failure;
using namespace io::test;

namespace {

std::string rank_words(int rank) { return "rank " + std::to_string(rank); }

// Returns "<file>:<line>" in the form that notes between neighbours have: at least the end of the
// file name.
std::string place_of(int line) { return "agree.cpp:" + std::to_string(line); }

// Checks that all ranks have the same `failed_rank`, `cause` and `detail`.
void check_same_on_all(io::mpi const& world, agreement const& a) {
  struct {
    int failed_rank, cause;
    std::uint64_t detail;
  } mine{a.failed_rank, a.cause.value(), io::detail::fingerprint(a.detail)}, first = mine;
  world.broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  CHECK(mine.failed_rank == first.failed_rank);
  CHECK(mine.cause == first.cause);
  CHECK(mine.detail == first.detail);
}

}  // namespace

// --- The outcome ---------------------------------------------------------------------------------

TEST_CASE("no failure, no error", "[agree][outcome]") {
  agreement const a = io::detail::agree_on_outcome(everyone(), failure());
  CHECK(a);
  CHECK(a.failed_rank == -1);
  CHECK_FALSE(a.cause);
}

TEST_CASE("a failure on one rank is known to all", "[agree][outcome]") {
  io::mpi const world = everyone();
  for (int r = 0; r < world.size(); ++r)
    for (std::error_code const code : {os(ENOSPC), std::error_code(errc::no_locks), os(EIO)}) {
      failure mine;
      if (world.rank() == r) mine = {code, "on the way to " + std::to_string(r)};
      agreement const a = io::detail::agree_on_outcome(world, mine);
      CHECK(a.code == (world.rank() == r ? io::classify(code) : errc::error_on_another_rank));
      CHECK(a.failed_rank == r);
      CHECK(a.cause == code);
      CHECK(a.detail == "on the way to " + std::to_string(r));
    }
}

TEST_CASE("of several failures each rank returns its own, and names the lowest rank",
          "[agree][outcome]") {
  io::mpi const world = everyone();
  std::vector<std::error_code> const codes{os(ENOSPC), os(EDQUOT), errc::datatype, os(ESTALE)};
  auto const code_of = [&](int r) { return codes[static_cast<std::size_t>(r) % codes.size()]; };
  for (int first = 0; first < world.size(); ++first) {
    failure mine;
    if (world.rank() >= first) mine = {code_of(world.rank()), rank_words(world.rank())};
    agreement const a = io::detail::agree_on_outcome(world, mine);
    CHECK(a.code == (mine ? io::classify(mine.code) : errc::error_on_another_rank));
    CHECK(a.failed_rank == first);
    CHECK(a.cause == code_of(first));
    CHECK(a.detail == rank_words(first));
    check_same_on_all(world, a);
  }
}

TEST_CASE("an exception stays on the rank that threw it", "[agree][outcome]") {
  io::mpi const world = everyone();
  int const last = world.size() - 1;
  failure mine;
  if (world.rank() == last) {
    mine = {errc::io, "user"};
    mine.thrown = std::make_exception_ptr(std::runtime_error("mine"));
  }
  agreement const a = io::detail::agree_on_outcome(world, mine);
  CHECK(static_cast<bool>(a.thrown) == (world.rank() == last));
}

TEST_CASE("long words are cut, not lost", "[agree][outcome]") {
  io::mpi const world = everyone();
  failure mine;
  if (world.rank() == 0) mine = {errc::io, std::string(5000, 'x')};
  agreement const a = io::detail::agree_on_outcome(world, mine);
  CHECK(a.detail.size() > 100);
  CHECK(a.detail == std::string(a.detail.size(), 'x'));
}

TEST_CASE("advice comes to all ranks, also behind words that are cut", "[agree][outcome]") {
  io::mpi const world = everyone();
  for (int r = 0; r < world.size(); ++r)
    for (std::size_t const bytes : {std::size_t{0}, std::size_t{3}, std::size_t{5000}}) {
      failure mine;
      if (world.rank() == r) mine = {errc::io, std::string(bytes, 'x'), "turn it off"};
      agreement const a = io::detail::agree_on_outcome(world, mine);
      CHECK(a.detail == std::string(a.detail.size(), 'x'));
      CHECK(a.detail.size() == std::min<std::size_t>(bytes, a.detail.size()));
      CHECK((bytes > 100 || a.detail.size() == bytes));
      CHECK(a.advice == "turn it off");
      CHECK(io::detail::message_of(a, "sync", "f", world.rank())
                .ends_with("What to do: turn it off."));
    }
}

TEST_CASE("codes of a category that nobody knows are errors of class io on all ranks",
          "[agree][outcome]") {
  io::mpi const world = everyone();
  int const r = world.size() / 2;
  failure mine;
  if (world.rank() == r) mine = {std::error_code(ENOENT, strange), "in the drawer"};
  agreement const a = io::detail::agree_on_outcome(world, mine);
  CHECK(a.code == (world.rank() == r ? errc::io : errc::error_on_another_rank));
  CHECK(io::classify(a.cause) == errc::io);
  check_same_on_all(world, a);
  CHECK_THAT(a.detail, ContainsSubstring("in the drawer") && ContainsSubstring("the arm is stuck"));
}

// --- Arguments -----------------------------------------------------------------------------------

TEST_CASE("equal and valid arguments are agreed on", "[agree][arguments]") {
  for (bool const develop : {false, true}) {
    arguments given("set_size");
    given.same("size", 17).same("name", "a text").same_in_develop("count", 3);
    CHECK(io::detail::agree_to_begin(everyone(), given, develop));
  }
}

TEST_CASE("a bad argument is named where it was given, and elsewhere the rank is",
          "[agree][arguments]") {
  io::mpi const world = everyone();
  for (bool const develop : {false, true})
    for (int r = 0; r < world.size(); ++r) {
      arguments given("set_size");
      given.same("size", 17);
      given.require(world.rank() != r, errc::argument, [] { return "the size is negative"; });
      given.require(world.rank() != r, errc::amode, [] { return "the second rule"; });
      agreement const a = io::detail::agree_to_begin(world, given, develop);
      CHECK(a.code == (world.rank() == r ? errc::argument : errc::error_on_another_rank));
      CHECK(a.failed_rank == r);
      CHECK(a.cause == errc::argument);
      CHECK(a.detail == "the size is negative");
    }
}

TEST_CASE("what a bad argument leaves unknown is compared with nobody's", "[agree][arguments]") {
  io::mpi const world = everyone();
  for (bool const develop : {false, true})
    for (int r = 0; r < world.size(); ++r) {
      bool const bad = world.rank() == r;
      arguments given("set_view");
      given.require(!bad, errc::datatype, [] { return "no such view"; });
      given.same("extent", bad ? 0 : 4).same("representation", bad ? "" : "native");
      given.same_in_develop("colour", bad ? 0 : 1);
      agreement const a = io::detail::agree_to_begin(world, given, develop);
      CHECK(a.code == (bad ? errc::datatype : errc::error_on_another_rank));
      CHECK(a.failed_rank == r);
      CHECK(a.cause == errc::datatype);
      CHECK(a.detail == "no such view");
      check_same_on_all(world, a);
    }
}

TEST_CASE("different arguments: every rank gets not_same, and who is in the minority with what",
          "[agree][arguments]") {
  io::mpi const world = everyone();
  int const n = world.size();
  if (n == 1) return;
  for (bool const develop : {false, true})
    for (int r = 0; r < n; ++r) {
      bool const odd_one = world.rank() == r;
      int const line = __LINE__ + 1;
      arguments const here("set_size");
      arguments const there("set_size");
      arguments given = odd_one ? here : there;
      given.same("size", odd_one ? 18 : 17).same("name", "a text");
      agreement const a = io::detail::agree_to_begin(world, given, develop);
      INFO(a.detail);
      CHECK(a.code == errc::not_same);
      CHECK(a.cause == errc::not_same);
      check_same_on_all(world, a);
      // With two ranks, neither is the odd one.
      CHECK(a.failed_rank == (n == 2 ? 1 : r));
      bool const first = n > 2 || r == 1;
      CHECK(contains(a.detail, "argument 'size' must be equal on all ranks: it is " +
                                   std::string(first ? "18" : "17")));
      CHECK(contains(a.detail, place_of(line) + ") on rank " + std::to_string(r)));
      CHECK(contains(
          a.detail, place_of(line + 1) + ") on " +
                        (n == 2 ? rank_words(1 - r) : "the " + std::to_string(n - 1) + " others")));

      arguments texts("set_view");
      texts.same("displacement", 0).same("representation", odd_one ? "native" : "external32");
      std::string const words = io::detail::agree_to_begin(world, texts, develop).detail;
      CHECK(contains(words, "'representation'"));
      CHECK(contains(words, "it is native ("));
      CHECK(contains(words, "it is external32 ("));
    }
}

TEST_CASE("what is many values by one hash is compared value by value", "[agree][arguments]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  for (int r = 0; r < world.size(); ++r) {
    bool const odd_one = world.rank() == r;
    arguments given("set_hints");
    given.same_lines("hints", odd_one ? 1 : 2, [&] {
      return std::string("cb_nodes ") + (odd_one ? "4" : "2") + "\nstriping 8\n" +
             (odd_one ? "" : "policy two_phase\n");
    });
    agreement const a = io::detail::agree_to_begin(world, given, false);
    INFO(a.detail);
    CHECK(contains(a.detail, "cb_nodes is "));
    CHECK(contains(a.detail, "4 on rank " + std::to_string(r)));
    CHECK(contains(a.detail, "not given on rank " + std::to_string(r)));
    CHECK_FALSE(contains(a.detail, "striping"));
    check_same_on_all(world, a);
  }
}

TEST_CASE("what is compared in develop mode only is not compared otherwise", "[agree][arguments]") {
  io::mpi const world = everyone();
  arguments given("set_view");
  given.same("size", 1).same_in_develop("colour", world.rank());
  CHECK(io::detail::agree_to_begin(world, given, false));
  if (world.size() > 1)
    CHECK(io::detail::agree_to_begin(world, given, true).code == errc::not_same);
}

TEST_CASE("ranks in different collective calls learn who is in another one, and where",
          "[agree][arguments]") {
  io::mpi const world = everyone();
  int const n = world.size();
  if (n == 1) return;
  for (bool const develop : {false, true})
    for (int r = 0; r < n; ++r) {
      int const line = __LINE__ + 1;
      arguments const here("sync");
      arguments const there("set_size");
      arguments given = world.rank() == r ? here : there;
      if (world.rank() != r) given.same("size", 4);
      agreement const a = io::detail::agree_to_begin(world, given, develop);
      INFO(a.detail);
      CHECK(a.code == errc::not_same);
      CHECK(a.failed_rank == (n == 2 ? 1 : r));
      check_same_on_all(world, a);
      CHECK(contains(a.detail, "ranks are in different collective calls: "));
      CHECK(contains(a.detail, "sync at "));
      CHECK(contains(a.detail, place_of(line) + " on rank " + std::to_string(r)));
      CHECK(contains(a.detail, "set_size at "));
      if (n > 2)
        CHECK(contains(a.detail,
                       place_of(line + 1) + " on the " + std::to_string(n - 1) + " others"));
      CHECK_FALSE(contains(io::detail::message_of(a, "sync", "x", world.rank()), "failed on rank"));
    }
  // Rank 0 is at the end of its call, the others begin one.
  agreement const a = world.rank() == 0
                          ? io::detail::agree_on_outcome(world, failure())
                          : io::detail::agree_to_begin(world, arguments("sync"), false);
  CHECK(a.code == errc::not_same);
  CHECK(contains(a.detail, "the end of a call on rank 0"));
  check_same_on_all(world, a);
}

TEST_CASE("what only develop mode compares is told by both values, ranks and places",
          "[agree][develop]") {
  io::mpi const world = everyone();
  int const n = world.size();
  if (n == 1) return;
  for (int r = 0; r < n; ++r) {
    bool const odd_one = world.rank() == r;
    arguments given("set_size");
    given.same("size", 1).same_in_develop("colour", odd_one ? 18 : 17);
    agreement const a = io::detail::agree_to_begin(world, given, true);
    CHECK(a.code == errc::not_same);
    check_same_on_all(world, a);
    // The words come from the lowest rank that differs from its right neighbour.
    int const speaker = std::min(r, (r + n - 1) % n), neighbour = (speaker + 1) % n;
    auto const side = [&](int rank) {
      return std::string(rank == r ? "18" : "17") + " on " + rank_words(rank) + " (";
    };
    INFO(a.detail);
    CHECK(contains(a.detail, "argument 'colour' is " + side(speaker)));
    CHECK(contains(a.detail, "and " + side(neighbour)));
  }
}

TEST_CASE("develop mode on one rank is develop mode on all", "[agree][develop]") {
  io::mpi const world = everyone();
  for (int r = 0; r < world.size(); ++r) {
    bool develop = world.rank() == r;
    CHECK(io::detail::agree_to_begin_first(world, arguments("open").same("path", "x"), develop));
    CHECK(develop);
    arguments given("open");
    given.same("path", world.rank() == r ? "a" : "b");
    agreement const a = io::detail::agree_to_begin_first(world, given, develop = world.rank() == 0);
    CHECK(develop);
    if (world.size() == 1) continue;
    CHECK(a.code == errc::not_same);
    CHECK_THAT(a.detail, ContainsSubstring("it is a (") && ContainsSubstring("it is b ("));
  }
  bool develop = false;
  CHECK(io::detail::agree_to_begin_first(world, arguments("open").same("path", "x"), develop));
  CHECK_FALSE(develop);
}

// --- What it costs -------------------------------------------------------------------------------

TEST_CASE("agreeing costs one reduction, and another and a broadcast where something is to be told",
          "[agree][cost]") {
  plain_world const world(everyone());
  using counts = plain_world::counts;
  auto const costs = [&](auto&& call) {
    world.asked() = {};
    call();
    return world.asked();
  };
  int const messages = world.size() > 1 ? 1 : 0;
  arguments given("sync");
  CHECK(costs([&] { io::detail::agree_to_begin(world, given, false); }) == counts{.reductions = 1});
  CHECK(costs([&] { io::detail::agree_on_outcome(world, failure()); }) == counts{.reductions = 1});
  CHECK(costs([&] { io::detail::agree_to_begin(world, given, true); }) ==
        counts{.reductions = 1, .sends = messages, .receives = messages});
  CHECK(costs([&] { io::detail::agree_on_outcome(world, failure(errc::io)); }) ==
        counts{.reductions = 2, .broadcasts = 1});
}

TEST_CASE("a collective call that succeeds costs two reductions", "[agree][cost]") {
  io::mpi const mpi = everyone();
  plain_world const world(mpi);
  using counts = plain_world::counts;
  char name[4096] = {};
  std::optional<io::test::scratch> directory;
  if (mpi.rank() == 0) {
    directory.emplace();
    (*directory / "costs.dat").copy(name, sizeof name - 1);
  }
  mpi.broadcast(std::as_writable_bytes(std::span(name)), 0);
  for (bool const develop : {false, true}) {
    std::error_code error;
    auto f = io::basic_file<plain_world>::open(world, name, io::mode::create | io::mode::read_write,
                                               {{.develop = develop}, error});
    CHECK_FALSE(error);
    if (error) return;  // on all ranks
    int const messages = develop && mpi.size() > 1 ? 1 : 0;
    counts const two{.reductions = 2, .sends = messages, .receives = messages};
    counts looked_at = two, written = two;  // calls with additional checks in develop mode
    if (develop) looked_at.others = written.others = 1, ++written.reductions;
    auto const costs = [&](auto&& call) {
      world.asked() = {};
      call();
      CHECK_FALSE(error);
      return world.asked();
    };
    std::vector<std::byte> data(100, std::byte{'a'});
    std::int64_t const at = 100 * mpi.rank();
    f.write_at_all(at, data, error);  // makes what the file needs
    if (mpi.size() > 1) {
      // By the policies of hints, which exchange data only if that may pay.
      CHECK(costs([&] { f.write_at_all(at, data, error); }) == written);
      CHECK(costs([&] { f.read_at_all(at, data, error); }) == two);
    }
    CHECK(costs([&] { f.write_at_all(at, data, {io::independent{}, error}); }) == written);
    CHECK(costs([&] { f.read_at_all(at, data, {io::independent{}, error}); }) == two);
    f.seek(at);  // at another place than the other ranks
    CHECK(costs([&] { f.write_all(data, {io::independent{}, error}); }) == written);
    CHECK(costs([&] { f.sync(error); }) == two);
    CHECK(costs([&] { f.set_size(2000, error); }) == two);
    CHECK(costs([&] { f.preallocate(3000, error); }) == two);
    CHECK(costs([&] { f.set_atomic(true, error); }) == two);
    CHECK(costs([&] { f.set_hints({.policy = "independent"}, error); }) == two);
    CHECK(costs([&] { f.set_view(0, io::type<int>, error); }) == looked_at);
    CHECK(costs([&] { f.write_at(0, data, error); }) == counts{});
    CHECK(costs([&] { f.close(error); }) == two);
  }
  mpi.barrier();
}
