// Nonblocking collective calls of virtual ranks: they go on while the program computes.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/file/summed_report.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/catch.hpp"

namespace io = argosy;

namespace {

using rank_type = io::lab::virtual_rank;
using virtual_file = io::basic_file<rank_type>;
constexpr auto create = io::mode::create | io::mode::read_write;
constexpr io::lab::virtual_options roomy{.stack_bytes = std::size_t{512} << 10};

std::vector<int> data_of(int rank, int count = 1000) {
  return std::vector<int>(static_cast<std::size_t>(count), rank + 1);
}

bool holds(std::vector<std::byte> const& file, int ranks, int count = 1000) {
  std::vector<int> all;
  for (int r = 0; r < ranks; ++r) {
    auto const mine = data_of(r, count);
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return std::ranges::equal(std::as_bytes(std::span(all)), file);
}

void tell(rank_type const& world, int to) { world.send(std::as_bytes(std::span(&to, 1)), to, 7); }
void hear(rank_type const& world, int from) {
  int word = 0;
  world.receive(std::as_writable_bytes(std::span(&word, 1)), from, 7);
}

}  // namespace

TEST_CASE("a test waits for nobody, and the message after it lets the others begin",
          "[virtual][progress]") {
  int const per_node = GENERATE(1, 2, 4);
  CAPTURE(per_node);
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = per_node}, roomy)
      .run([&](rank_type const& world) {
        auto f = virtual_file::open(world, "f", create, {}, files.opener());
        auto const mine = data_of(world.rank());
        if (world.rank() > 0) hear(world, 0);
        io::request q = f.iwrite_at_all(4000 * world.rank(), mine);
        if (world.rank() == 0) {
          for (int k = 0; k < 10; ++k) CHECK_FALSE(q.test());
          for (int r = 1; r < world.size(); ++r) tell(world, r);
        }
        while (!q.test()) world.compute(1e-4);
        CHECK(q.wait().bytes == 4000);
        f.close();
      });
  CHECK(holds(files.content("f"), 4));
}

TEST_CASE("ranks wait in the order that each likes", "[virtual][progress]") {
  int const per_node = GENERATE(1, 2, 4);
  CAPTURE(per_node);
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = per_node}, roomy)
      .run([&](rank_type const& world) {
        auto f = virtual_file::open(world, "f", create, {}, files.opener());
        auto g = virtual_file::open(world, "g", create, {}, files.opener());
        auto const mine = data_of(world.rank());
        bool const odd = world.rank() % 2 != 0;
        io::request a = f.iwrite_at_all(4000 * world.rank(), mine);
        if (odd) a.wait();
        world.barrier();
        f.world().barrier();
        if (!odd) a.wait();

        // One request in a file, and two in another one.
        std::vector<int> const other(1000, -1);
        std::vector<int> back(1000);
        io::request r = f.iread_at_all(4000 * world.rank(), back);
        io::request b = g.iwrite_at_all(4000 * world.rank(), other);
        io::request c = g.iwrite_at_all(4000 * world.rank(), mine);
        if (odd) std::swap(r, c);
        c.wait();
        f.world().barrier();
        b.wait();
        g.sync();
        r.wait();
        CHECK(back == mine);
        f.close();
        g.close();
      });
  CHECK(holds(files.content("f"), 4));
  CHECK(holds(files.content("g"), 4));  // the later of the two writes has won
}

TEST_CASE(
    "what is begun goes on while the program computes, or waits elsewhere, and if nobody asks for "
    "it",
    "[virtual][progress]") {
  bool const in_calls = GENERATE(false, true);
  CAPTURE(in_calls);
  io::lab::virtual_files const files;
  io::hints how;
  if (in_calls) how.set("argosy_progress", "in_calls");
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2}, roomy)
      .run([&](rank_type const& world) {
        auto f = virtual_file::open(world, "f", create, how, files.opener());
        auto const mine = data_of(world.rank());
        (void)f.iwrite_at_all(4000 * world.rank(), mine);
        world.compute(1);
        world.barrier();
        world.pause();  // earlier events happen first
        CHECK(holds(files.content("f"), 4) == !in_calls);
        f.close();
      });
  CHECK(holds(files.content("f"), 4));
}

namespace {

// Returns the share of a collective write's time that is saved if the ranks compute for as long
// meanwhile.
double hidden(std::string const& progress) {
  double share = 0;
  io::lab::virtual_files const files;
  io::hints how;
  how.set("argosy_progress", progress);
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2}, roomy)
      .run([&](rank_type const& world) {
        auto f = virtual_file::open(world, "f", create, how, files.opener());
        auto const mine = data_of(world.rank(), 1 << 20);
        auto const timed = [&](auto&& work) {
          world.barrier();
          double const began = world.now();
          work();
          world.barrier();
          return world.now() - began;
        };
        auto const access = [&] {
          f.iwrite_at_all(4 * (1 << 20) * world.rank(), mine, io::two_phase{}).wait();
        };
        access();
        double const alone = timed(access);
        double const both = timed([&] {
          io::request q = f.iwrite_at_all(4 * (1 << 20) * world.rank(), mine, io::two_phase{});
          world.compute(alone);
          q.wait();
        });
        if (world.rank() == 0) share = (2 * alone - both) / alone;
        f.close();
      });
  CHECK(holds(files.content("f"), 4, 1 << 20));
  return share;
}

}  // namespace

TEST_CASE("a collective write is hidden behind computing", "[virtual][progress]") {
  double const beside = hidden("always"), when_waited_for = hidden("in_calls");
  CAPTURE(beside, when_waited_for);
  CHECK(beside > 0.95);
  CHECK(when_waited_for < 0.05);
}

namespace {

constexpr std::int64_t mib = 1 << 20;

io::report of_write(rank_type const& world, virtual_file& f, double computing_s) {
  std::vector<int> const mine = data_of(world.rank(), mib / 4);
  io::request q = f.iwrite_at_all(mib * world.rank(), mine, io::two_phase{});
  world.compute(computing_s);
  return q.wait();
}

}  // namespace

TEST_CASE("a report says how long the program waited for a call in the background",
          "[virtual][progress][waited]") {
  bool const in_calls = GENERATE(false, true);
  CAPTURE(in_calls);
  io::lab::virtual_files const files;
  io::hints how;
  if (in_calls) how.set("argosy_progress", "in_calls");
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2}, roomy)
      .run([&](rank_type const& world) {
        auto f = virtual_file::open(world, "f", create, how, files.opener());
        io::report const at_once = of_write(world, f, 0);
        CHECK(at_once.in_background);
        CHECK(at_once.time_ns > 0);
        CHECK(at_once.waited_ns >= at_once.time_ns);
        double const enough = 10e-9 * static_cast<double>(at_once.time_ns);
        io::report const later = of_write(world, f, enough);
        CHECK(
            (in_calls ? later.waited_ns >= later.time_ns : later.waited_ns < later.time_ns / 100));
        if (!in_calls) {  // computes for half of the time
          io::report const half = of_write(world, f, enough / 20);
          CHECK(half.waited_ns > half.time_ns / 4);
          CHECK(half.waited_ns < half.time_ns * 3 / 4);
        }

        std::vector<int> const mine = data_of(world.rank(), mib / 4);
        f.begin_write_at_all(mib * world.rank(), mine, io::two_phase{});
        world.compute(enough);
        io::report const split = f.end();
        CHECK(split.in_background);
        CHECK(
            (in_calls ? split.waited_ns >= split.time_ns : split.waited_ns < split.time_ns / 100));

        io::request alone = f.iwrite_at(mib * world.rank(), mine);
        world.compute(enough);
        io::report const local = alone.wait();
        CHECK(local.in_background);
        CHECK(local.time_ns > 0);
        CHECK(local.waited_ns < local.time_ns / 100);

        io::report const blocking = f.write_at_all(mib * world.rank(), mine);
        CHECK_FALSE(blocking.in_background);
        CHECK(blocking.waited_ns == 0);
        io::summed_report const all = io::summed(at_once, world);
        CHECK(all.of(&io::report::waited_ns).most >= all.of(&io::report::waited_ns).least);
        CHECK_THAT(to_table(all), Catch::Contains("  waited_ns "));
        CHECK_THAT(to_table(io::summed(blocking, world)), !Catch::Contains("waited_ns"));
        f.close();
      });
}

TEST_CASE("a call that another call of the file carries out was waited for there, once",
          "[virtual][progress][waited]") {
  io::lab::virtual_files const files;
  io::hints how;
  how.set("argosy_progress", "in_calls");
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2}, roomy)
      .run([&](rank_type const& world) {
        auto f = virtual_file::open(world, "f", create, how, files.opener());
        std::vector<int> const mine = data_of(world.rank(), mib / 4);
        io::request a = f.iwrite_at_all(mib * world.rank(), mine, io::two_phase{});
        io::request b = f.iwrite_at_all(mib * world.rank(), mine, io::two_phase{});
        double const began = world.now();
        io::report const second = b.wait();  // carries out the first one, too
        auto const took = static_cast<std::int64_t>((world.now() - began) * 1e9);
        io::report const first = a.wait();
        CHECK(first.waited_ns >= first.time_ns);
        CHECK(second.waited_ns >= second.time_ns);
        CHECK(first.waited_ns + second.waited_ns <= took + took / 100);
        io::request c = f.iwrite_at_all(mib * world.rank(), mine, io::two_phase{});
        f.sync();
        io::report const third = c.wait();
        CHECK(third.waited_ns >= third.time_ns);
        f.close();
      });
}

TEST_CASE("ranks in different collective calls are told, the one in the background too",
          "[virtual][progress]") {
  int const who = GENERATE(0, 1, 3);
  CAPTURE(who);
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2}, roomy)
      .run([&](rank_type const& world) {
        auto f = virtual_file::open(world, "f", create, {}, files.opener());
        auto const mine = data_of(world.rank());
        std::error_code e;
        if (world.rank() == who)
          f.iwrite_at_all(4000 * world.rank(), mine).wait(e);
        else
          f.write_at_all(4000 * world.rank(), mine, {e});
        CHECK(e == io::errc::not_same);
        f.write_at_all(4000 * world.rank(), mine);
        f.close();
      });
  CHECK(holds(files.content("f"), 4));
}

TEST_CASE("calls that one of the ranks leaves by dying end for the others",
          "[virtual][progress][death]") {
  int const who = GENERATE(0, 1, 3);
  bool const together = GENERATE(false, true);
  io::extend::any_policy const how =
      together ? io::extend::any_policy(io::two_phase{}) : io::extend::any_policy(io::sieving{});
  for (std::int64_t operation = 1; operation < 60; ++operation) {
    CAPTURE(who, together, operation);
    int died = 0, failed = 0;
    io::lab::virtual_files const files;
    io::lab::virtual_cluster(
        {.ranks = 4, .ranks_per_node = 2, .deaths = {{.rank = who, .operation = operation}}}, roomy)
        .run([&](rank_type const& world) {
          std::error_code e;
          auto f = virtual_file::open(world, "f", create, {io::hints(), e}, files.opener());
          if (!e) {
            auto const mine = data_of(world.rank());
            io::request a = f.iwrite_at_all(4000 * world.rank(), mine, how);
            io::request b = f.iwrite_at_all(4000 * world.rank(), mine, how);
            for (int k = 0; k < 30; ++k) world.pause();
            std::error_code first, second, closed;
            a.wait(first);
            b.wait(second);
            f.close(closed);
            for (std::error_code const& one : {first, second, closed})
              CHECK((!one || one == io::errc::rank_failed));
            if (second || closed) ++failed;
            if (first) CHECK(second == io::errc::rank_failed);
          } else {
            CHECK(e == io::errc::rank_failed);
          }
          ++died;
        });
    CHECK((died == 3 || died == 4));
    if (died == 4) CHECK(failed == 0);
  }
}

TEST_CASE("the same seed gives the same run, background or not", "[virtual][progress]") {
  auto const trace = [] {
    io::lab::virtual_files const files;
    return io::lab::virtual_cluster(
               {.ranks = 6, .ranks_per_node = 2, .seed = 5, .network = {.jitter_ns = 5000}}, roomy)
        .run([&](rank_type const& world) {
          auto f = virtual_file::open(world, "f", create, {}, files.opener());
          auto const mine = data_of(world.rank());
          io::request a = f.iwrite_at_all(4000 * world.rank(), mine, io::two_phase{});
          world.compute(1e-4 * world.rank());
          a.test();
          world.barrier();
          f.begin_write_ordered(mine);
          f.write_at(4000 * world.rank(), mine);
          f.end();
          a.wait();
          f.close();
        })
        .trace_hash;
  };
  CHECK(trace() == trace());
}

TEST_CASE("the shared pointer is used by the program and by a call beside it",
          "[virtual][progress]") {
  int const per_node = GENERATE(1, 4);
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = per_node}, roomy)
      .run([&](rank_type const& world) {
        auto f = virtual_file::open(world, "f", create, {}, files.opener());
        auto const mine = data_of(world.rank(), 10);
        f.write_shared(mine);
        f.begin_write_ordered(mine);
        world.compute(1e-3 * world.rank());
        f.write_shared(mine);
        f.end();
        f.close();
      });
  CHECK(files.content("f").size() == 3 * 4 * 40);
}
