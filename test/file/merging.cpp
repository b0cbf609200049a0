// Merges and concurrent writes. Bytes that any other writer puts into a window's holes must not be
// lost, whichever program has the file open.
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/handle/counting.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/world/self.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using io::mode;

namespace {

using file = io::basic_file<io::self>;

constexpr io::sieving merged{.write_window_bytes = 4096, .writes = io::sieving_mode::always};
constexpr std::int64_t pieces = 32, bytes = 8 * pieces;

io::report put(file& f, std::int64_t at, std::string const& text) { return f.write_at(at, text); }
io::report merge(file& f, char what) {
  std::string const data(bytes, what);
  return f.write_at(0, data, merged);
}

// Views every other eight bytes from `first` on.
void look_at_pieces(file& f, std::int64_t first) {
  f.set_view(first, {io::type<std::byte>, io::vector(pieces, 8, 16, io::type<std::byte>)});
}
std::string stretches(char mine, char others) {
  std::string all;
  for (std::int64_t i = 0; i < pieces; ++i) all += std::string(8, mine) + std::string(8, others);
  return all;
}
void make(std::string const& path) {
  file f = file::open(io::self(), path, mode::create | mode::write);
  put(f, 0, stretches('o', 'o'));
  f.close();
}
std::string content(std::string const& path) {
  file f = file::open(io::self(), path, mode::read);
  std::string all(static_cast<std::size_t>(f.size()), ' ');
  f.read_at(0, all);
  return all;
}

// Calls a function between the read and the write of a merge.
class watched : public io::extend::forwarding<watched, io::extend::any_handle> {
 public:
  watched(io::extend::any_handle h, std::shared_ptr<std::function<void()>> then)
      : io::extend::forwarding<watched, io::extend::any_handle>(std::move(h)),
        then_(std::move(then)) {}
  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    io::extend::io_result const done = act();
    if (call.kind == io::file_call::read && *then_) std::exchange(*then_, {})();
    return done;
  }

 private:
  std::shared_ptr<std::function<void()>> then_;
};
io::opener watched_opener(std::shared_ptr<std::function<void()>> then) {
  io::opener const inner = io::posix_opener();
  return inner.opening([inner, then](std::string const& path, io::extend::open_flags flags,
                                     std::error_code& error) {
    io::extend::any_handle h = inner(path, flags, error);
    return error ? io::extend::any_handle() : io::extend::any_handle(watched(std::move(h), then));
  });
}

// Waits until `done` is true, at most as long as it would need if nothing blocked it.
void give_time(std::atomic<bool> const& done) {
  for (int i = 0; i < 100 && !done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

TEST_CASE(
    "who has a file alone merges without a lock on its windows, and by pieces where another open "
    "may write",
    "[file][merging]") {
  io::test::scratch const here;
  std::string const path = here / "data";
  make(path);
  file f = file::open(io::self(), path, mode::read_write);
  look_at_pieces(f, 0);
  auto const merges = [&] {
    io::report const r = merge(f, 'm');
    CHECK(r.bytes == bytes);
    CHECK((r.merged_bytes > 0) == (r.locks == 1));
    CHECK((r.merged_bytes > 0) == (r.fallbacks == 0));
    return r.merged_bytes > 0;
  };
  CHECK(merges());
  {
    file reader = file::open(io::self(), path, mode::read);
    CHECK(merges());
  }
  for (mode const m : {mode::write, mode::read_write}) {
    file other = file::open(io::self(), path, m);
    CHECK_FALSE(merges());
    put(other, 8, "xxxxxxxx");
    CHECK_FALSE(merges());
    other.close();
    CHECK(merges());
    CHECK(content(path).substr(8, 8) == "xxxxxxxx");
  }
  std::vector<file> many;
  for (int i = 0; i < 5; ++i) many.push_back(file::open(io::self(), path, mode::read_write));
  while (!many.empty()) {
    CHECK_FALSE(merges());
    many.front().close();
    many.erase(many.begin());
  }
  CHECK(merges());
  f.close();

  file unique = file::open(io::self(), path, mode::read_write | mode::unique_open);
  look_at_pieces(unique, 0);
  io::report const r = merge(unique, 'm');
  CHECK(r.merged_bytes > 0);
  CHECK(r.locks == 0);
  unique.close();
}

TEST_CASE("contiguous writes take no lock, whoever else has the file open", "[file][merging]") {
  io::test::scratch const here;
  auto const counts = std::make_shared<io::call_counts>();
  io::opener const counted = io::with_counting(io::posix_opener(), counts);
  file f = file::open(io::self(), here / "data", mode::create | mode::read_write, {}, counted);
  file g = file::open(io::self(), here / "data", mode::read_write, {}, counted);
  CHECK(counts->calls(io::file_call::lock) == 2);  // each handle has its own lock while it is open
  for (int i = 0; i < 3; ++i)
    CHECK(put(f, 8 * i, "ffffffff").locks + put(g, 8 * i, "gggggggg").locks == 0);
  CHECK(counts->calls(io::file_call::lock) == 2);
  CHECK(counts->calls(io::file_call::unlock) == 0);
  f.close();
  g.close();
}

TEST_CASE("an open waits for a merge that is under way, and the merge brings nothing of it back",
          "[file][merging]") {
  io::test::scratch const here;
  std::string const path = here / "data";
  make(path);
  auto const between = std::make_shared<std::function<void()>>();
  file f = file::open(io::self(), path, mode::read_write, {}, watched_opener(between));
  look_at_pieces(f, 0);
  std::atomic<bool> written{false};
  std::thread other;
  *between = [&] {
    other = std::thread([&] {
      file g = file::open(io::self(), path, mode::read_write);
      look_at_pieces(g, 8);
      put(g, 0, std::string(bytes, 'x'));
      written = true;
      g.close();
    });
    give_time(written);
    CHECK_FALSE(written);
  };
  CHECK(merge(f, 'm').merged_bytes > 0);
  REQUIRE(other.joinable());
  other.join();
  CHECK(content(path) == stretches('m', 'x'));
  f.close();
}

TEST_CASE("a merge waits for the writes of other threads, and keeps them out",
          "[file][merging][threads]") {
  io::test::scratch const here;
  std::string const path = here / "data";
  mode const m = GENERATE(mode::read_write, mode::read_write | mode::unique_open);
  bool const is_small = GENERATE(false, true);  // without a policy a small call makes no plan
  make(path);
  auto const between = std::make_shared<std::function<void()>>();
  file f = file::open(io::self(), path, m, {}, watched_opener(between));
  // from now on several threads have used the file
  std::thread([&] { put(f, 8, "oooooooo"); }).join();
  std::thread([&] { put(f, 8, "oooooooo"); }).join();
  look_at_pieces(f, 0);
  std::atomic<bool> written{false};
  std::thread other;
  *between = [&] {
    other = std::thread([&] {
      // In the view, where the merge writes, too, so this write comes before or after it.
      put(f, 0, "xxxxxxxx");
      written = true;
    });
    give_time(written);
    CHECK_FALSE(written);
  };
  io::report const r = is_small ? put(f, 0, std::string(bytes, 'm')) : merge(f, 'm');
  CHECK(r.merged_bytes > 0);
  REQUIRE(other.joinable());
  other.join();
  CHECK(content(path) == std::string(8, 'x') + stretches('m', 'o').substr(8));
  f.close();
}

TEST_CASE("programs that come and go lose nothing to a merge", "[file][merging][processes]") {
  io::test::scratch const here;
  std::string const path = here / "data";
  make(path);
  constexpr int programs = 2, rounds = 60;
  std::vector<pid_t> children;
  for (int c = 0; c < programs; ++c) {
    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    // The child makes no checks of Catch2. A loss would show at once, or at the end.
    if (child == 0) {
      int lost = 0;
      try {
        for (int round = 0; round < rounds; ++round) {
          file g = file::open(io::self(), path, mode::read_write);
          std::string const mine(8, static_cast<char>('A' + round % 26));
          for (std::int64_t i = c; i < pieces; i += programs) {
            g.write_at(16 * i + 8, mine);
            std::string back(8, ' ');
            g.read_at(16 * i + 8, back);
            lost += back != mine;
          }
          g.close();
          std::this_thread::yield();
        }
      } catch (...) {
        lost = 1;
      }
      ::_exit(lost == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  file f = file::open(io::self(), path, mode::read_write);
  look_at_pieces(f, 0);
  std::int64_t together = 0, by_pieces = 0;
  for (int left = programs, round = 0; left > 0; ++round) {
    io::report const r = merge(f, static_cast<char>('a' + round % 26));
    (r.merged_bytes > 0 ? together : by_pieces) += 1;
    for (pid_t& child : children) {
      int status = 0;
      if (child == 0 || ::waitpid(child, &status, WNOHANG) != child) continue;
      CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
      child = 0;
      --left;
    }
  }
  INFO(together << " merged, " << by_pieces << " by pieces");
  merge(f, 'm');
  f.close();
  CHECK(content(path) == stretches('m', static_cast<char>('A' + (rounds - 1) % 26)));
}

TEST_CASE("an open that ends in the middle leaves nothing that others wait for",
          "[file][merging][processes]") {
  io::test::scratch const here;
  std::string const path = here / "data";
  make(path);
  for (bool const merging : {false, true}) {
    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      auto const between = std::make_shared<std::function<void()>>();
      *between = [] { ::_exit(0); };
      file g = file::open(io::self(), path, mode::read_write, {},
                          merging ? watched_opener(between) : io::posix_opener());
      look_at_pieces(g, 8);
      if (merging) merge(g, 'x');
      ::_exit(merging ? 1 : 0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    file f = file::open(io::self(), path, mode::read_write);
    look_at_pieces(f, 0);
    CHECK(merge(f, 'm').merged_bytes > 0);
    f.close();
    CHECK(content(path) == stretches('m', 'o'));
  }
}

TEST_CASE("where locks come to an end after open, windows are written by pieces",
          "[file][merging][faults]") {
  io::test::scratch const here;
  std::string const path = here / "data";
  make(path);
  for (std::int64_t const last : {1, 2, 3}) {
    auto const script = std::make_shared<io::fault_script>();
    script->add(io::fail_from(io::file_call::lock, last, std::errc::no_lock_available));
    file f = file::open(io::self(), path, mode::read_write, {},
                        io::with_faults(io::posix_opener(), script));
    look_at_pieces(f, 0);
    io::report const r = merge(f, static_cast<char>('0' + last));
    CHECK(r.bytes == bytes);
    CHECK(r.merged_bytes == 0);
    CHECK(r.fallbacks == 1);
    // Locks taken before must be released, so that other opens are possible.
    file g = file::open(io::self(), path, mode::read_write);
    g.close();
    f.close();
    CHECK(content(path) == stretches(static_cast<char>('0' + last), 'o'));
  }
}

TEST_CASE("data at the end of all offsets is locked, and merges keep out of it",
          "[file][merging]") {
  io::test::scratch const here;
  std::string const path = here / "data";
  file f = file::open(io::self(), path, mode::create | mode::read_write);
  file g = file::open(io::self(), path, mode::read_write);
  f.set_atomic(true);
  g.set_atomic(true);
  std::error_code error;
  // Most file systems end before that. No rank may wait for a lock that stands for no data.
  std::string const data(8, 'a');
  f.write_at(INT64_MAX - 64, data, error);
  g.write_at(INT64_MAX - (std::int64_t{1} << 59), data, error);
  put(g, 0, data);
  f.close();
  g.close();
}
