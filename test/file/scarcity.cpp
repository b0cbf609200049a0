// A rank has few descriptors or no memory left. Calls must fail on all ranks or on none, no rank
// may wait for ever, and none may die.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/file.hpp>

#include "support/files_on_worlds.hpp"
#include "support/sanitized.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

using nodes_file = io::basic_file<nodes_world>;

// Lets this process open only `left` descriptors more while the object lives.
class few_descriptors {
 public:
  explicit few_descriptors(int left) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = 0;
    for (int n = 0;; ++few.rlim_cur)
      if (::fcntl(static_cast<int>(few.rlim_cur), F_GETFD) < 0 && n++ == left) break;
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  few_descriptors(few_descriptors const&) = delete;
  few_descriptors& operator=(few_descriptors const&) = delete;
  ~few_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

// Lets this process have only `left` bytes of addresses more while the object lives.
class few_addresses {
 public:
  explicit few_addresses(rlim_t left) {
    ::getrlimit(RLIMIT_AS, &before_);
    char text[64] = {};
    int const statm = ::open("/proc/self/statm", O_RDONLY);
    if (::read(statm, text, sizeof text - 1) > 0) {
      rlimit few = before_;
      few.rlim_cur =
          std::strtoull(text, nullptr, 10) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + left;
      ::setrlimit(RLIMIT_AS, &few);
    }
    ::close(statm);
  }
  few_addresses(few_addresses const&) = delete;
  few_addresses& operator=(few_addresses const&) = delete;
  ~few_addresses() { ::setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_ = {};
};

// Ends the job with a message if a rank waits too long in one step.
class watchdog {
 public:
  watchdog() : thread_([this] { look(); }) {}
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;
  ~watchdog() {
    done_ = true;
    thread_.join();
  }
  void come(std::string const& to) {
    std::snprintf(where_, sizeof where_, "%s", to.c_str());
    ++steps_;
  }

 private:
  void look() {
    constexpr std::chrono::milliseconds step{20}, longest{20000};
    std::chrono::milliseconds waited{0};
    for (int seen = -1; !done_; waited += step) {
      if (int const now = steps_; now != seen) {
        seen = now;
        waited = {};
      }
      if (waited > longest) {
        std::fprintf(stderr, "scarcity: a rank waits for ever in %s\n", where_);
        std::_Exit(1);
      }
      std::this_thread::sleep_for(step);
    }
  }
  std::atomic<bool> done_{false};
  std::atomic<int> steps_{0};
  char where_[160] = {};
  std::thread thread_;
};

struct trial {
  nodes_world const& world;
  watchdog& dog;
  std::string const about;
  int failed = 0;  // number of calls that failed
  std::vector<std::string> strange = {};

  // Makes a call that must end alike on all ranks. Returns true if it succeeded.
  template <class Call>
  bool all(char const* name, Call&& call) {
    std::error_code const error = alone(name, call);
    int const mine = error ? 1 : 0;
    int failures = 0;
    MPI_Allreduce(&mine, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (failures != 0 && failures != world.size())
      strange.push_back(std::string(name) + " failed on " + std::to_string(failures) + " ranks");
    if (failures != 0) ++failed;
    return failures == 0;
  }
  // Makes a call that may fail on some ranks.
  template <class Call>
  std::error_code alone(char const* name, Call&& call) {
    dog.come(about + ": " + name);
    std::error_code error;
    try {
      call(error);
    } catch (std::exception const& e) {
      strange.push_back(std::string(name) + " threw " + e.what());
    }
    return error;
  }
};

// A trial. Each has a file of its own, and a communicator, so that sockets are made anew.
struct shortage {
  int who = 0, left = 0;
  bool from_open = true;  // false: from the call after it
  std::string policy = {};
};

// Makes all calls on a file. Returns how many collective calls failed.
int check_calls(nodes_world const& all, std::string const& path, shortage const& s, watchdog& dog) {
  nodes_world const world = all.split(0, all.rank());  // has no sockets of an earlier trial
  world.barrier();
  trial t{world, dog,
          std::to_string(s.left) + " left on rank " + std::to_string(s.who) +
              (s.from_open ? "" : " after open")};
  io::hints h;
  if (!s.policy.empty()) h.set("argosy_policy", s.policy);
  bool const is_short = world.rank() == s.who;
  std::vector<int> const mine = numbers_from(world.rank() * 1000, 1000);
  std::vector<int> room(1000), other(1000);
  nodes_file f;
  std::optional<few_descriptors> limit;
  if (is_short && s.from_open) limit.emplace(s.left);
  bool const opened = t.all("open", [&](std::error_code& e) {
    f = nodes_file::open(world, path, mode::create | mode::read_write, {h, e});
  });
  if (is_short && !limit) limit.emplace(s.left);
  if (opened) {
    t.all("set_view", [&](std::error_code& e) {
      f.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 4 * world.size())},
                 e);
    });
    bool const written =
        t.all("write_at_all", [&](std::error_code& e) { f.write_at_all(0, mine, e); });
    t.all("iwrite_at_all", [&](std::error_code& e) { f.iwrite_at_all(1000, mine).wait(e); });
    t.alone("write_shared", [&](std::error_code& e) { f.write_shared(mine, e); });
    t.all("write_ordered", [&](std::error_code& e) { f.write_ordered(mine, e); });
    t.alone("write_at", [&](std::error_code& e) { f.write_at(9000, mine, e); });
    t.all("sync", [&](std::error_code& e) { f.sync(e); });
    bool const read = t.all("read_at_all", [&](std::error_code& e) { f.read_at_all(0, room, e); });
    t.all("iread_at_all", [&](std::error_code& e) { f.iread_at_all(0, other).wait(e); });
    t.all("close", [&](std::error_code& e) { f.close(e); });
    CAPTURE(t.about, s.policy);
    if (written && read) CHECK(room == mine);
  }
  CAPTURE(t.about, s.policy);
  CHECK(t.strange == std::vector<std::string>());
  return t.failed;
}

}  // namespace

TEST_CASE("a rank with few descriptors left keeps no other rank waiting", "[file][errors]") {
  // The sanitizers open pipes to look at memory, and report memory that they cannot look at.
  if (argosy::test::sanitized) return skipped("sanitizers need descriptors of their own");
  io::mpi const ranks(MPI_COMM_WORLD);
  shared_scratch<io::mpi> const here(ranks);
  watchdog dog;
  constexpr int most = 20;
  int failed = 0;
  for (int per_node = 1; per_node <= ranks.size(); ++per_node) {
    nodes_world const world(ranks, {per_node});
    for (int who = 0; who < ranks.size(); ++who)
      for (int left = 0; left <= most; ++left)
        for (bool from_open : {true, false})
          failed += check_calls(world, here / "data", {who, left, from_open}, dog);
  }
  CHECK(failed > 0);
}

TEST_CASE("a rank with few descriptors left for agents keeps no other rank waiting",
          "[file][errors]") {
  // The sanitizers open pipes to look at memory, and report memory that they cannot look at.
  if (argosy::test::sanitized) return skipped("sanitizers need descriptors of their own");
  io::mpi const ranks(MPI_COMM_WORLD);
  shared_scratch<io::mpi> const here(ranks);
  watchdog dog;
  constexpr int most = 20;
  for (int per_node : {1, ranks.size()}) {
    nodes_world const world(ranks, {per_node});
    for (int who = 0; who < ranks.size(); ++who)
      for (int left = 0; left <= most; ++left)
        for (bool from_open : {true, false})
          check_calls(world, here / "data", {who, left, from_open, "data_shipping"}, dog);
  }
}

TEST_CASE("a rank without addresses left opens no file, and lives", "[file][errors]") {
  if (argosy::test::sanitized) return skipped("sanitizers need addresses of their own");
  io::mpi const ranks(MPI_COMM_WORLD);
  shared_scratch<io::mpi> const here(ranks);
  watchdog dog;
  for (int who = 0; who < ranks.size(); ++who)
    for (unsigned const left : {0u, 4u, 8u, 12u, 16u, 32u, 64u, 128u, 1024u}) {
      // its messages have not been measured yet
      io::mpi const world = ranks.split(0, ranks.rank());
      auto const open = [&](std::error_code& e) {
        return io::file::open(world, here / "data", mode::create | mode::read_write, e);
      };
      std::error_code error;
      dog.come("first open");
      open(error).close();
      REQUIRE_FALSE(error);
      MPI_Barrier(MPI_COMM_WORLD);
      std::optional<few_addresses> limit;
      if (world.rank() == who) limit.emplace(rlim_t{left} << 10);
      dog.come("open with " + std::to_string(left) + " KiB of addresses left on rank " +
               std::to_string(who));
      io::file f = open(error);
      std::error_code closed;
      if (!error) f.close(closed);
      limit.reset();
      int failures = error ? 1 : 0;
      MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      CAPTURE(who, left, error);
      CHECK((failures == 0 || failures == world.size()));
      if (error) CHECK(failed_on(world, who, errc::no_memory, error));
      CHECK_FALSE(closed);
    }
}
