// Locks of the posix handle: between processes, and between threads of one process. One page
// because all cases share the processes and threads that hold locks.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/posix.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "handle/posix_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using io::posix;
using io::extend::lock_kind;
using namespace std::chrono_literals;
using namespace io::test;

namespace {

// Returns true if another process could lock this range.
struct probe {
  std::string path;
  bool operator()(std::int64_t offset, std::int64_t length, bool writing) const {
    posix const f = opened(path);
    struct flock range{};
    range.l_type = writing ? F_WRLCK : F_RDLCK;
    range.l_start = offset;
    range.l_len = length;
    REQUIRE(::fcntl(f.raw().descriptor(), F_OFD_GETLK, &range) == 0);
    return range.l_type == F_UNLCK;
  }
};

// Waits until `what` is true, long enough for a busy machine.
bool comes(std::atomic<bool> const& what) {
  for (int i = 0; i < 20000 && !what; ++i) std::this_thread::sleep_for(1ms);
  return what;
}

// Installs a signal handler that does not restart calls.
struct interrupting {
  interrupting() {
    struct sigaction act{};
    act.sa_handler = [](int) {};
    ::sigaction(SIGUSR1, &act, &before_);
  }
  ~interrupting() { ::sigaction(SIGUSR1, &before_, nullptr); }
  interrupting(interrupting const&) = delete;

 private:
  struct sigaction before_{};
};

}  // namespace

TEST_CASE("locks exclude other processes", "[posix][locks]") {
  scratch const dir;
  std::string const path = dir / "f";
  constexpr int processes = 3, rounds = 200;
  {
    posix f = opened(path);
    REQUIRE(f.write(0, bytes_of(std::string(8, '\0'))).bytes == 8);
  }
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    pid_t const child = ::fork();
    if (child == 0) {
      std::error_code error;
      posix f = posix::open(path, read_write, error);
      bool good = !error;
      for (int i = 0; i < rounds; ++i) {
        std::int64_t n = 0;
        good = good && !f.lock(0, 8, lock_kind::exclusive);
        good = good && f.read(0, std::as_writable_bytes(std::span(&n, 1))).bytes == 8;
        ++n;
        good = good && f.write(0, std::as_bytes(std::span(&n, 1))).bytes == 8;
        good = good && !f.unlock(0, 8);
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t const child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  std::int64_t n = 0;
  posix f = opened(path);
  f.read(0, std::as_writable_bytes(std::span(&n, 1)));
  CHECK(n == processes * rounds);
}

TEST_CASE("processes that lock again and again leave each other turns", "[posix][locks]") {
  scratch const dir;
  std::string const path = dir / "f";
  constexpr int processes = 3, rounds = 60;
  {
    posix f = opened(path);
    REQUIRE(f.write(0, bytes_of(std::string(8 * processes, '\0'))).bytes == 8 * processes);
  }
  // Each process counts its locks in the file. When the first one has all of its own, each other
  // one must have had some. A process that locks again at once must not always win.
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    pid_t const child = ::fork();
    if (child == 0) {
      std::error_code error;
      posix f = posix::open(path, read_write, error);
      bool good = !error, over = false;
      while (good && !over) {
        std::int64_t n[processes] = {};
        auto const counts = std::as_writable_bytes(std::span(n));
        good = !f.lock(0, sizeof n, lock_kind::exclusive);
        good = good && f.read(0, counts).bytes == static_cast<std::int64_t>(sizeof n);
        for (std::int64_t const each : n) over = over || each == rounds;
        if (!over) ++n[p];
        good = good && f.write(0, counts).bytes == static_cast<std::int64_t>(sizeof n);
        std::this_thread::sleep_for(5ms);
        good = !f.unlock(0, sizeof n) && good;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t const child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  std::int64_t n[processes] = {};
  posix f = opened(path);
  f.read(0, std::as_writable_bytes(std::span(n)));
  for (std::int64_t const each : n) CHECK(each > 1);
}

TEST_CASE("locks exclude the threads of one handle, and of two", "[posix][locks]") {
  scratch const dir;
  constexpr int threads = 4, rounds = 200;
  for (bool const shared_handle : {true, false}) {
    posix f = opened(dir / "f");
    REQUIRE_FALSE(f.resize(0));
    REQUIRE(f.write(0, bytes_of(std::string(24, '\0'))).bytes == 24);
    std::atomic<bool> good{true};
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t)
      pool.emplace_back([&, t] {
        std::error_code error;
        posix own = shared_handle ? posix() : posix::open(dir / "f", read_write, error);
        posix& mine = shared_handle ? f : own;
        std::mt19937 random(static_cast<unsigned>(t));
        for (int i = 0; i < rounds; ++i) {
          // Two of three counters, under one lock that covers both.
          auto const first = static_cast<std::int64_t>(random() % 2) * 8;
          std::int64_t n[2];
          if (mine.lock(first, 16, lock_kind::exclusive)) good = false;
          if (mine.read(first, std::as_writable_bytes(std::span(n))).bytes != 16) good = false;
          ++n[0];
          ++n[1];
          if (mine.write(first, std::as_bytes(std::span(n))).bytes != 16) good = false;
          if (mine.unlock(first, 16)) good = false;
        }
      });
    for (auto& t : pool) t.join();
    CHECK(good);
    std::int64_t n[3];
    f.read(0, std::as_writable_bytes(std::span(n)));
    CHECK(n[1] == threads * rounds);
    CHECK(n[0] + n[2] == threads * rounds);
  }
}

TEST_CASE("shared locks share, are converted, and end piece by piece", "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f"), g = opened(dir / "f");
  probe const is_free{dir / "f"};
  REQUIRE_FALSE(f.lock(0, 100, lock_kind::shared));
  REQUIRE_FALSE(g.lock(50, 100, lock_kind::shared));
  CHECK(is_free(0, 150, false));
  CHECK_FALSE(is_free(0, 1, true));
  REQUIRE_FALSE(g.unlock(50, 100));
  REQUIRE_FALSE(f.lock(20, 10, lock_kind::exclusive));  // converted
  CHECK_FALSE(is_free(20, 10, false));
  CHECK(is_free(0, 20, false));
  REQUIRE_FALSE(f.unlock(25, 100));
  CHECK(is_free(25, 100, true));
  CHECK_FALSE(is_free(20, 5, false));

  // Two threads of one handle share a lock. The kernel's lock lasts until the last of them unlocks.
  REQUIRE_FALSE(f.unlock(0, 100));
  REQUIRE_FALSE(f.lock(0, 100, lock_kind::shared));
  std::thread([&] {
    CHECK_FALSE(f.lock(50, 100, lock_kind::shared));
    CHECK_FALSE(is_free(120, 1, true));
    CHECK_FALSE(f.unlock(50, 100));
    CHECK(is_free(100, 50, true));
    CHECK_FALSE(is_free(50, 50, true));
    CHECK_FALSE(f.unlock(0, 100));  // a lock of the other thread, by exactly its range
  }).join();
  CHECK(is_free(0, 1000, true));

  // A lock to the end of all offsets; one of length 0; a shared lock of a file that cannot be read.
  REQUIRE_FALSE(f.lock(10, std::numeric_limits<std::int64_t>::max(), lock_kind::exclusive));
  CHECK_FALSE(is_free(std::int64_t{1} << 60, 1, false));
  CHECK(is_free(0, 10, true));
  REQUIRE_FALSE(f.unlock(0, std::numeric_limits<std::int64_t>::max()));
  CHECK(is_free(0, 1000, true));
  REQUIRE_FALSE(f.lock(0, 0, lock_kind::exclusive));
  CHECK(is_free(0, 1000, true));
  posix w = opened(dir / "f", {.write = true});
  REQUIRE_FALSE(w.lock(0, 10, lock_kind::shared));
  CHECK_FALSE(is_free(0, 10, false));
  REQUIRE_FALSE(w.close());
  CHECK(is_free(0, 10, true));  // a lock ends with its handle
}

TEST_CASE("a lock waits, and is not given up when interrupted", "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f"), g = opened(dir / "f");
  interrupting const signals;
  REQUIRE_FALSE(f.lock(0, 10, lock_kind::exclusive));
  std::atomic<bool> got{false};
  std::error_code locked, unlocked;
  std::thread waiting([&] {
    locked = g.lock(5, 10, lock_kind::exclusive);
    got = true;
    unlocked = g.unlock(5, 10);
  });
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(5ms);
    ::pthread_kill(waiting.native_handle(), SIGUSR1);
  }
  CHECK_FALSE(got);
  CHECK_FALSE(f.unlock(0, 10));
  waiting.join();
  CHECK(got);
  CHECK_FALSE(locked);
  CHECK_FALSE(unlocked);
}

TEST_CASE("a lock is not waited for longer than the handle allows, and who has it can be asked",
          "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f"), g = opened(dir / "f");
  REQUIRE_FALSE(f.lock(100, 50, lock_kind::shared));
  g.raw().longest_lock_wait = 20ms;
  CHECK(g.lock(120, 1, lock_kind::exclusive) == io::errc::file_in_use);
  CHECK_FALSE(g.lock(120, 1, lock_kind::shared));
  CHECK(g.lock(0, 200, lock_kind::exclusive) == io::errc::file_in_use);
  CHECK(g.lock_in_the_way(0, 200, lock_kind::exclusive) == io::extend::locked_range{100, 50});
  CHECK_FALSE(g.lock_in_the_way(0, 200, lock_kind::shared));
  CHECK_FALSE(g.lock_in_the_way(0, 100, lock_kind::exclusive));
  CHECK_FALSE(f.unlock(100, 50));
  constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
  REQUIRE_FALSE(f.lock(200, end, lock_kind::exclusive));
  CHECK(g.lock_in_the_way(0, end, lock_kind::shared) == io::extend::locked_range{200, end - 200});
  // A lock that failed must leave no entry in the table, so that other threads of the handle can go
  // on.
  CHECK_FALSE(g.lock(0, 200, lock_kind::exclusive));
  std::thread([&] {
    std::error_code error;
    CHECK_FALSE(g.try_lock(0, 1, lock_kind::shared, error));
    CHECK_FALSE(error);
  }).join();
  CHECK_FALSE(f.close());
  CHECK_FALSE(g.lock(0, end, lock_kind::exclusive));
}

TEST_CASE(
    "a handle gives its locks back when it is closed, though a child made by fork has the file "
    "open",
    "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f");
  probe const is_free{dir / "f"};
  REQUIRE_FALSE(f.lock(5, 10, lock_kind::exclusive));
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  pid_t const child = ::fork();
  if (child == 0) {
    char byte = 0;
    ::close(ends[1]);
    posix copy = std::move(f);  // the child closes it without releasing the parent's locks
    copy.close();
    ::_exit(::read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  pid_t const other = ::fork();
  if (other == 0) {
    char byte = 0;
    ::close(ends[1]);
    ::_exit(::read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  ::close(ends[0]);
  CHECK_FALSE(is_free(5, 10, false));
  CHECK_FALSE(f.close());
  CHECK(is_free(0, 20, true));
  ::close(ends[1]);
  for (pid_t const each : {child, other}) {
    int status = -1;
    ::waitpid(each, &status, 0);
    CHECK(status == 0);
  }
}

TEST_CASE("of nested shared locks each thread keeps its own when another one unlocks",
          "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f");
  probe const is_free{dir / "f"};
  std::atomic<bool> end{false}, good{true};
  std::atomic<int> locked{0};
  auto const holds = [&](std::int64_t offset, std::int64_t length) {
    return std::thread([&, offset, length] {
      if (f.lock(offset, length, lock_kind::shared)) good = false;
      ++locked;
      while (!end) std::this_thread::sleep_for(1ms);
      if (f.unlock(offset, length)) good = false;
    });
  };
  std::thread outer = holds(0, 100), inner = holds(10, 10);
  while (locked < 2) std::this_thread::sleep_for(1ms);
  CHECK_FALSE(f.lock(0, 120, lock_kind::shared));
  CHECK_FALSE(f.unlock(0, 120));
  CHECK_FALSE(is_free(5, 1, true));
  CHECK_FALSE(is_free(15, 1, true));
  CHECK_FALSE(is_free(50, 1, true));
  CHECK(is_free(100, 20, true));
  end = true;
  outer.join();
  inner.join();
  CHECK(good);
  CHECK(is_free(0, 120, true));
}

TEST_CASE("threads wait for what is still held, and no longer", "[posix][locks]") {
  scratch const dir;
  posix f = opened(dir / "f");
  std::atomic<bool> got{false}, good{true};
  auto const taking = [&](std::int64_t offset, std::int64_t length, lock_kind kind) {
    got = false;
    return std::thread([&, offset, length, kind] {
      if (f.lock(offset, length, kind)) good = false;
      got = true;
      if (f.unlock(offset, length)) good = false;
    });
  };
  REQUIRE_FALSE(f.lock(0, 100, lock_kind::exclusive));
  // The front or the back of the range was unlocked.
  CHECK_FALSE(f.unlock(0, 30));
  CHECK_FALSE(f.unlock(70, 30));
  std::thread waiting = taking(40, 10, lock_kind::shared);
  std::this_thread::sleep_for(30ms);
  CHECK_FALSE(got);
  // When the lock becomes a shared one, it must not block a thread that wants to share.
  CHECK_FALSE(f.lock(30, 40, lock_kind::shared));
  CHECK(comes(got));
  CHECK_FALSE(f.unlock(30, 40));
  waiting.join();
  CHECK(good);
}

TEST_CASE("what is left to a thread that waits in the kernel is its own, or nobody's",
          "[posix][locks][faults]") {
  scratch const dir;
  posix f = opened(dir / "f"), g = opened(dir / "f");
  probe const is_free{dir / "f"};
  interrupting const signals;
  REQUIRE_FALSE(g.lock(0, 10, lock_kind::exclusive));
  REQUIRE_FALSE(f.lock(20, 10, lock_kind::shared));
  bool const has_some = GENERATE(false, true), gives_up = GENERATE(true, false);
  if (gives_up) f.raw().longest_lock_wait = 200ms;
  std::atomic<bool> asks{false}, ended{false}, end{false};
  std::error_code error;
  std::thread waiting([&] {
    if (has_some) f.lock(28, 2, lock_kind::shared);
    asks = true;
    error = f.raw().lock(0, 30, lock_kind::shared);
    ended = true;
    while (!end) std::this_thread::sleep_for(1ms);
    f.unlock(0, 30);
  });
  CHECK(comes(asks));
  std::this_thread::sleep_for(20ms);
  CHECK_FALSE(f.unlock(20, 8));
  CHECK_FALSE(f.unlock(28, 2));
  if (gives_up) {
    while (!ended) {  // signals must not change the length of the wait
      ::pthread_kill(waiting.native_handle(), SIGUSR1);
      std::this_thread::sleep_for(2ms);
    }
    CHECK(error == io::errc::file_in_use);
    CHECK(is_free(20, 8, true));
    CHECK(is_free(28, 2, true) == !has_some);
  } else {
    CHECK_FALSE(f.unlock(0, 30));  // unlocks nothing: the range is not locked yet
    CHECK_FALSE(g.unlock(0, 10));
    CHECK(comes(ended));
    CHECK_FALSE(error);
    CHECK_FALSE(is_free(0, 1, true));
    CHECK_FALSE(is_free(29, 1, true));
    std::atomic<bool> got{false};
    std::thread other([&] {
      f.lock(0, 10, lock_kind::exclusive);
      got = true;
      f.unlock(0, 10);
    });
    std::this_thread::sleep_for(20ms);
    CHECK_FALSE(got);
    end = true;
    other.join();
  }
  end = true;
  waiting.join();
  CHECK(is_free(10, 100, true));
}
