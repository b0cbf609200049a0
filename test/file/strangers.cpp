// Other programs lock a file, or a killed rank's lock stays. No call may wait for ever. One page
// because all cases use the same processes that lock a file.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/world/mpi.hpp>
#include <argosy/world/self.hpp>

#include "support/catch.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using io::mode;

using Catch::Contains;
using io::test::shared_scratch;
using namespace std::chrono_literals;

namespace {

io::mpi everyone() { return io::mpi(MPI_COMM_WORLD); }

using file_of_one = io::basic_file<io::self>;
constexpr io::sieving merged{.write_window_bytes = 4096, .writes = io::sieving_mode::always};
constexpr std::int64_t pieces = 32, bytes = 8 * pieces;
constexpr std::int64_t whole_file = 0, first_reserved = std::numeric_limits<std::int64_t>::max() -
                                                        (std::int64_t{1} << 60);

// A process that lives until its parent ends it.
class child {
 public:
  explicit child(std::function<void()> const& begin) {
    if (::pipe2(began_, O_CLOEXEC) != 0 || ::pipe2(ends_, O_CLOEXEC) != 0) std::abort();
    pid_ = ::fork();
    char byte = 0;
    if (pid_ == 0) {
      ::close(ends_[1]);
      begin();
      if (::write(began_[1], &byte, 1) != 1 || ::read(ends_[0], &byte, 1) > 0) ::_exit(1);
      ::_exit(0);
    }
    ::close(ends_[0]);
    ::close(began_[1]);
    if (::read(began_[0], &byte, 1) != 1) pid_ = -1;
  }
  child(child const&) = delete;
  child& operator=(child const&) = delete;
  ~child() {
    if (ends_[1] >= 0) end();
  }
  void end() {
    ::close(std::exchange(ends_[1], -1));
    ::close(began_[0]);
    int status = 0;
    if (pid_ > 0) ::waitpid(pid_, &status, 0);
  }
  bool lives() const { return pid_ > 0; }

 private:
  int began_[2], ends_[2];
  pid_t pid_ = -1;
};

// Another program that has locked a range with fcntl; length 0: to the end.
class stranger {
 public:
  stranger(std::string const& path, short kind, std::int64_t offset, std::int64_t length)
      : process_([=] {
          int const f = ::open(path.c_str(), kind == F_RDLCK ? O_RDONLY : O_RDWR);
          struct flock range{};
          range.l_type = kind;
          range.l_start = offset;
          range.l_len = length;
          if (f < 0 || ::fcntl(f, F_SETLK, &range) != 0) ::_exit(1);
        }) {
    REQUIRE(process_.lives());
  }
  void leave() { process_.end(); }

 private:
  child process_;
};

// Makes the stranger on rank 0. All ranks wait until it has locked.
std::unique_ptr<stranger> stranger_at(io::mpi const& world, std::string const& path, short kind,
                                      std::int64_t offset, std::int64_t length) {
  auto s = world.rank() == 0 ? std::make_unique<stranger>(path, kind, offset, length) : nullptr;
  world.barrier();
  return s;
}

// Returns an opener for files of the operating system that wait at most `longest` for a lock.
io::opener waiting(std::chrono::milliseconds longest) {
  return io::posix_opener().wrapping([longest](io::extend::any_handle h) {
    h.target<io::posix>()->raw().longest_lock_wait = longest;
    return h;
  });
}
// If a call waited that long, the test would time out.
constexpr std::chrono::milliseconds for_ever = 1h;

void make(io::mpi const& world, std::string const& path) {
  if (world.rank() == 0) {
    auto f = file_of_one::open(io::self(), path, mode::create | mode::write);
    std::string const all(static_cast<std::size_t>(2 * bytes * world.size()), 'o');
    f.write_at(0, all);
    f.close();
  }
  world.barrier();
}
std::string content(std::string const& path) {
  auto f = file_of_one::open(io::self(), path, mode::read);
  std::string all(static_cast<std::size_t>(f.size()), ' ');
  f.read_at(0, all);
  return all;
}
// Each rank sees every other eight bytes of a part of its own.
template <class File>
void look_at_pieces(File& f, int rank) {
  f.set_view(2 * bytes * rank,
             {io::type<std::byte>, io::vector(pieces, 8, 16, io::type<std::byte>)});
}
std::string expected(int ranks, char of_first) {
  std::string all;
  for (int r = 0; r < ranks; ++r)
    for (std::int64_t i = 0; i < pieces; ++i)
      all += std::string(8, static_cast<char>(of_first + r)) + std::string(8, 'o');
  return all;
}
template <class File>
io::report merge(File& f, char what) {
  std::string const data(bytes, what);
  return f.write_at(0, data, merged);
}
char of_rank(io::mpi const& world, char first = 'a') {
  return static_cast<char>(first + world.rank());
}

}  // namespace

TEST_CASE(
    "a lock on the whole file, of a program that only reads, stops no open, and nothing is merged "
    "until close",
    "[file][strangers]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const path = here / "data";
  make(world, path);
  auto reader = stranger_at(world, path, F_RDLCK, whole_file, 0);
  io::file f = io::file::open(world, path, mode::read_write, {}, waiting(for_ever));
  look_at_pieces(f, world.rank());
  io::report done = merge(f, of_rank(world));
  CHECK(done.bytes == bytes);
  CHECK(done.merged_bytes == 0);
  CHECK(done.fallbacks == 1);
  CHECK_THAT(done.reason.str(), Contains("nothing is merged: another program has locked the file"));

  // A second open does not wait either. Neither of the two merges, also after the stranger has
  // gone.
  io::file g = io::file::open(world, path, mode::read_write, {}, waiting(for_ever));
  look_at_pieces(g, world.rank());
  if (reader) reader->leave();
  world.barrier();
  for (io::file* each : {&f, &g}) {
    done = merge(*each, of_rank(world, 'k'));
    CHECK(done.merged_bytes == 0);
    CHECK(done.fallbacks == 1);
  }
  f.close();
  g.close();
  CHECK(content(path) == expected(world.size(), 'k'));
  world.barrier();

  io::file after = io::file::open(world, path, mode::read_write, {}, waiting(for_ever));
  look_at_pieces(after, world.rank());
  done = merge(after, of_rank(world));
  CHECK(done.merged_bytes > 0);
  CHECK(done.fallbacks == 0);
  after.close();
  CHECK(content(path) == expected(world.size(), 'a'));
  world.barrier();
}

TEST_CASE(
    "an exclusive lock on the whole file stops no open, and when it has gone others see the ranks "
    "before they write",
    "[file][strangers]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const path = here / "data";
  make(world, path);
  for (mode const more : {mode::none, mode::unique_open}) {
    auto writer = stranger_at(world, path, F_WRLCK, whole_file, 0);
    io::file f = io::file::open(world, path, mode::read_write | more, {}, waiting(for_ever));
    look_at_pieces(f, world.rank());
    io::report const alone = merge(f, of_rank(world));
    CHECK((alone.merged_bytes > 0) == (more == mode::unique_open && world.size() == 1));
    f.set_atomic(true);
    f.set_atomic(false);
    if (writer) writer->leave();
    world.barrier();
    std::string const few(8, of_rank(world));
    f.write_at(0, few);
    world.barrier();
    if (world.rank() == 0 && more == mode::none) {
      auto other = file_of_one::open(io::self(), path, mode::read_write);
      look_at_pieces(other, 0);
      io::report const beside = merge(other, of_rank(world));
      CHECK(beside.merged_bytes == 0);
      CHECK(beside.fallbacks == 1);
      other.close();
    }
    f.close();
    CHECK(content(path) == expected(world.size(), 'a'));
    world.barrier();
  }
}

TEST_CASE(
    "a lock of another program on the data ends merging, or an atomic call with an error, and "
    "later ones succeed",
    "[file][strangers]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const path = here / "data";
  make(world, path);
  io::file f = io::file::open(world, path, mode::read_write, {}, waiting(200ms));
  look_at_pieces(f, world.rank());
  auto writer = stranger_at(world, path, F_WRLCK, 0, first_reserved);
  io::report done = merge(f, of_rank(world));
  CHECK(done.bytes == bytes);
  if (world.size() > 1) {  // a single rank needs no lock on its windows
    CHECK(done.merged_bytes == 0);
    CHECK(done.fallbacks == 1);
    CHECK_THAT(done.reason.str(),
               Contains("nothing is merged: another program has locked these bytes"));
  }
  f.set_atomic(true);
  std::error_code error;
  std::string const refused(bytes, 'x'), taken(bytes, of_rank(world));
  f.write_at(0, refused, error);
  CHECK(error == io::errc::file_in_use);
  f.write_at_all(0, refused, error);
  CHECK(error == io::errc::file_in_use);
  std::string said;
  try {
    f.write_at(0, refused);
  } catch (io::error const& e) {
    said = e.what();
  }
  CHECK_THAT(said, Contains("another program has locked some of these bytes and keeps them"));
  world.barrier();
  if (writer) writer->leave();
  world.barrier();
  f.write_at_all(0, taken);
  f.set_atomic(false);
  CHECK(merge(f, of_rank(world)).merged_bytes > 0);
  f.close();
  CHECK(content(path) == expected(world.size(), 'a'));
  world.barrier();
}

TEST_CASE("after close a child made by fork keeps no lock of the file", "[file][strangers]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const path = here / "data";
  make(world, path);
  io::file f = io::file::open(world, path, mode::read_write, {}, waiting(for_ever));
  child const beside([] {});
  f.close();
  io::file g = io::file::open(world, path, mode::read_write, {}, waiting(for_ever));
  look_at_pieces(g, world.rank());
  io::report const done = merge(g, of_rank(world));
  CHECK(done.merged_bytes > 0);
  CHECK(done.fallbacks == 0);
  g.close();
  CHECK(content(path) == expected(world.size(), 'a'));
  world.barrier();
}

namespace {

// Calls a function between the read and the write of a merge.
class watched : public io::extend::forwarding<watched, io::extend::any_handle> {
 public:
  watched(io::extend::any_handle h, std::function<void()> then)
      : io::extend::forwarding<watched, io::extend::any_handle>(std::move(h)),
        then_(std::move(then)) {}
  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    io::extend::io_result const done = act();
    if (call.kind == io::file_call::read) then_();
    return done;
  }

 private:
  std::function<void()> then_;
};

}  // namespace

TEST_CASE(
    "a job opens a file after a rank was killed while it merged, though a child keeps its locks",
    "[file][strangers]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const path = here / "data";
  make(world, path);
  int hold[2] = {-1, -1};
  if (world.rank() == 0) {
    REQUIRE(::pipe2(hold, O_CLOEXEC) == 0);
    pid_t const job = ::fork();
    if (job == 0) {
      auto const killed = [&] {
        if (::fork() == 0) {  // lives until the test ends it
          char byte = 0;
          ::close(hold[1]);
          ::_exit(::read(hold[0], &byte, 1) < 0 ? 1 : 0);
        }
        ::kill(::getpid(), SIGKILL);
      };
      auto const opener = io::posix_opener().wrapping(
          [&](io::extend::any_handle h) { return watched(std::move(h), killed); });
      auto f = file_of_one::open(io::self(), path, mode::read_write, {}, opener);
      look_at_pieces(f, 0);
      merge(f, 'x');
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(job, &status, 0) == job);
    REQUIRE(WIFSIGNALED(status));
  }
  world.barrier();
  io::file f = io::file::open(world, path, mode::read_write, {}, waiting(200ms));
  look_at_pieces(f, world.rank());
  io::report const done = merge(f, of_rank(world));
  CHECK(done.merged_bytes == 0);
  CHECK(done.fallbacks == 1);
  CHECK_THAT(done.reason.str(), Contains("a lock on the file was not given back within the limit"));
  f.close();
  CHECK(content(path) == expected(world.size(), 'a'));
  world.barrier();
  for (int const end : hold)
    if (end >= 0) ::close(end);
}

TEST_CASE(
    "a job opens a file into which another one merges without a pause, and its ranks are seen",
    "[file][strangers]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const path = here / "data";
  make(world, path);
  int ends[2] = {-1, -1}, begins[2] = {-1, -1};
  pid_t other = -1;
  if (world.rank() == 0) {
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(begins, O_CLOEXEC) == 0);
    other = ::fork();
    if (other == 0) {
      char byte = 0;
      ::close(ends[1]);
      ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
      auto const opener = io::posix_opener().wrapping(
          [](io::extend::any_handle h) { return watched(std::move(h), [] { ::usleep(20'000); }); });
      auto f = file_of_one::open(io::self(), path, mode::read_write, {}, opener);
      look_at_pieces(f, world.size());
      merge(f, 'x');
      bool good = ::write(begins[1], &byte, 1) == 1;
      while (good && ::read(ends[0], &byte, 1) < 0) merge(f, 'x');
      f.close();
      ::_exit(good ? 0 : 1);
    }
    char byte = 0;
    REQUIRE(::read(begins[0], &byte, 1) == 1);
  }
  world.barrier();
  {
    io::file f = io::file::open(world, path, mode::read_write);
    look_at_pieces(f, world.rank());
    io::report const done = merge(f, of_rank(world));
    CHECK(done.fallbacks == 1);
    CHECK(done.reason.str().find("nothing is merged") == std::string::npos);
    f.close();
  }
  if (other > 0) {
    ::close(ends[1]);
    int status = -1;
    ::waitpid(other, &status, 0);
    CHECK(status == 0);
    std::string const all = content(path), of_ranks = expected(world.size(), 'a');
    CHECK(all.substr(0, of_ranks.size()) == of_ranks);
    for (int const end : {ends[0], begins[0], begins[1]}) ::close(end);
  }
  world.barrier();
}

namespace {

// Forks a child that calls `f`. Returns the child's status; a child that hangs is killed after a
// while.
template <class F>
int status_of_child(F&& f) {
  pid_t const child = ::fork();
  if (child == 0) {
    ::alarm(20);
    f();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE(
    "a child made by fork destroys the file of its parent, and a request, without waiting for "
    "threads",
    "[file][strangers]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const path = here / "data";
  make(world, path);
  auto f = std::make_unique<io::file>(io::file::open(world, path, mode::read_write));
  std::string const few(8, 'x');
  f->iwrite_at(0, few).wait();  // makes a thread
  auto const go = std::make_shared<std::atomic<bool>>(false);
  auto const opener = io::posix_opener().wrapping([&](io::extend::any_handle h) {
    return watched(std::move(h), [go] {
      while (!*go) ::usleep(1000);
    });
  });
  auto slow = std::make_unique<io::file>(io::file::open(world, path, mode::read, {}, opener));
  std::string got(8, ' ');
  auto under_way = std::make_unique<io::request>(slow->iread_at(0, got));
  CHECK(status_of_child([&] {
          under_way.reset();
          slow.reset();
          io::file other;
          *f = std::move(other);
          f.reset();
        }) == 0);
  *go = true;
  under_way->wait();
  CHECK(got == few);

  // The parent must still have its locks.
  world.barrier();
  if (world.rank() == 0) {
    auto other = file_of_one::open(io::self(), path, mode::read_write);
    look_at_pieces(other, 0);
    CHECK(merge(other, 'y').fallbacks == 1);
    other.close();
  }
  world.barrier();
  slow->close();
  f->close();
}
