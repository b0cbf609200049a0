// Threads that call MPI at the same time. With MPI_THREAD_MULTIPLE each thread may use
// communicators and files of its own, and all share one.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/policy/two_phase.hpp>

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"
#include "support/thread_level.hpp"

namespace io = argosy;
using io::test::nodes_world;
using namespace std::chrono_literals;

bool argosy::test::calls_from_threads() { return true; }

namespace {

constexpr int threads = 2;

// A barrier of all threads of this rank.
class gate {
 public:
  void pass() {
    int const mine = ++come_;
    int const all = (mine + threads - 1) / threads * threads;
    while (come_ < all) std::this_thread::yield();
  }

 private:
  std::atomic<int> come_{0};
};

// Types that no other test reduces.
template <int N>
struct number {
  std::int64_t value;
  void combine(number const& other) { value += other.value; }
};

template <int... N>
int reduce_first(io::mpi const& world, gate& g, std::integer_sequence<int, N...>) {
  int wrong = 0;
  auto const one = [&](auto n) {
    g.pass();
    world.all_reduce(n);
    wrong += n.value != world.size();
  };
  (one(number<N>{1}), ...);
  return wrong;
}

template <class Body>
int in_threads(Body&& body) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back([&, t] { wrong += body(t); });
  for (auto& t : all) t.join();
  return wrong;
}

}  // namespace

TEST_CASE("threads reduce types for the first time on communicators of their own",
          "[threads][world]") {
  REQUIRE(io::mpi::calls_from_threads());
  io::mpi const world(MPI_COMM_WORLD);
  std::vector<io::mpi> own;
  for (int t = 0; t < threads; ++t) own.push_back(world.duplicate());
  gate together;
  CHECK(in_threads([&](int t) {
          io::mpi const& mine = own[static_cast<std::size_t>(t)];
          int wrong = reduce_first(mine, together, std::make_integer_sequence<int, 40>());
          for (int k = 0; k < 20; ++k) {
            together.pass();
            auto const got = mine.deliver(
                {{(mine.rank() + 1) % mine.size(), std::vector<std::byte>(10, std::byte(t))}});
            wrong += got.size() != 1 || got[0].content != std::vector<std::byte>(10, std::byte(t));
          }
          return wrong;
        }) == 0);
}

TEST_CASE("threads make collective calls of files of their own, and local calls of one",
          "[threads][file]") {
  io::mpi const world(MPI_COMM_WORLD);
  io::test::shared_scratch const here(world);
  for (bool const nodes : {false, true}) {
    CAPTURE(nodes);
    std::vector<nodes_world> own;
    for (int t = 0; t < threads; ++t)
      own.emplace_back(world.duplicate(), nodes_world::shape{.per_node = nodes ? 1 : world.size()});
    auto shared = io::file::open(world, here / "shared",
                                 io::mode::create | io::mode::read_write | io::mode::unique_open);
    shared.set_view(0, io::type<int>);
    CHECK(in_threads([&](int t) {
            nodes_world const& mine = own[static_cast<std::size_t>(t)];
            int wrong = 0;
            for (int k = 0; k < 6; ++k) {
              auto f = io::basic_file<nodes_world>::open(mine, here / ("own" + std::to_string(t)),
                                                         io::mode::create | io::mode::read_write);
              f.set_view(4 * mine.rank(),
                         {io::type<int>, io::resized(io::type<int>, 0, 4 * mine.size())});
              std::vector<int> const out(500, 1000 * t + 10 * k + mine.rank());
              std::vector<int> in(500);
              wrong += f.write_all(out, io::two_phase{.window_bytes = 1024}).bytes != 2000;
              f.seek(0);
              wrong += f.read_all(in, io::two_phase{.window_bytes = 1024}).bytes != 2000;
              wrong += in != out;
              f.close();
              std::int64_t const at = 500 * (threads * mine.rank() + t);
              wrong += shared.write_at(at, out).bytes != 2000;
              wrong += shared.read_at(at, in).bytes != 2000;
              wrong += in != out;
            }
            return wrong;
          }) == 0);
    shared.close();
  }
  world.barrier();
}

// Threads of a rank cannot see what ranks of other nodes do. Their writes must take locks while any
// rank is in a collective write.
TEST_CASE(
    "what a thread writes into a hole that a collective call is merging on another node survives",
    "[threads][file]") {
  nodes_world const world(io::mpi(MPI_COMM_WORLD), {.per_node = 1});
  if (world.size() < 3) return;  // two pieces are not merged
  io::test::shared_scratch const here(world);
  std::string const dashes(400, '-'), first("before"), one("beside"), all("together");
  for (auto const how : {io::mode::create | io::mode::read_write,
                         io::mode::create | io::mode::read_write | io::mode::unique_open})
    // The exchange begins in the blocking call, when a rank waits for the request, or in the
    // background.
    for (std::string const progress : {"", "in_calls", "always"}) {
      bool const deferred = !progress.empty();
      CAPTURE(has(how, io::mode::unique_open), progress);
      auto const script = std::make_shared<io::fault_script>();
      io::hints given;
      given.set("argosy_progress", deferred ? progress : "in_calls");
      auto f =
          io::basic_file<nodes_world>::open(world, here / "data", how | io::mode::delete_on_close,
                                            given, io::with_faults(io::posix_opener(), script));
      f.write_at_all(400 * world.rank(), dashes);
      io::two_phase const by{.aggregators = 1};
      int const aggregator =
          f.explain_at_all(io::access_kind::write, 200 * world.rank(), all, by).domains[0].rank;
      std::atomic<bool> merging{false}, came{false};
      std::thread beside([&] {
        bool const writes = world.rank() == (aggregator + 1) % world.size();
        if (writes) f.write_at(1100, first);
        came = true;
        while (!merging) std::this_thread::yield();
        if (!writes) return;
        std::this_thread::sleep_for(100ms);
        f.write_at(100, one);
      });
      while (!came) std::this_thread::yield();
      script->clear();
      if (world.rank() == aggregator)  // the aggregator is late between its read and its write
        script->add(io::delay_at(io::file_call::write, 1, 300ms));
      auto later = deferred ? f.iwrite_at_all(200 * world.rank(), all, by) : io::request();
      world.barrier();
      merging = true;
      if (deferred)
        later.wait();
      else
        f.write_at_all(200 * world.rank(), all, by);
      beside.join();
      if (world.rank() == aggregator)
        CHECK((script->struck() > 0 && script->calls(io::file_call::read) > 0));
      f.sync();
      std::string got(208, ' ');
      f.read_at_all(0, got);
      CHECK(got.substr(0, 8) == "together");
      CHECK(got.substr(100, 6) == "beside");
      CHECK(got.substr(200, 8) == "together");
      f.close();
    }
}
