// Names of files: the same file by different paths, and prefixes.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include "support/asking_before.hpp"
#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
namespace fs = std::filesystem;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

// Moves this process to another directory while it lives.
class inside {
 public:
  explicit inside(fs::path const& there) : before_(fs::current_path()) { fs::current_path(there); }
  inside(inside const&) = delete;
  inside& operator=(inside const&) = delete;
  ~inside() { fs::current_path(before_); }

 private:
  fs::path before_;
};

std::vector<std::string> names_in(std::string const& directory) {
  std::vector<std::string> all;
  for (auto const& e : fs::directory_iterator(directory))
    all.push_back(e.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

template <class World>
void check_names(World const& world) {
  using file = io::basic_file<World>;
  shared_scratch const here(world);
  if (world.rank() == 0) {
    fs::create_directory(here / "a");
    fs::create_directory_symlink("a", here / "link");
    std::ofstream(here / "a/there") << "123456789";
    fs::create_symlink("a/there", here / "beside");
    fs::create_directory(here / "b");
    std::ofstream(here / "b/there") << "123456789";
  }
  world.barrier();
  int const r = world.rank();
  std::error_code error;
  auto const written = [&](std::string const& path, mode modes) {
    auto f = file::open(world, path, modes, error);
    if (error) return;
    char const mine = static_cast<char>('a' + r);
    f.write_at_all(r, mine);
    f.set_view(0, io::type<char>);
    f.seek_shared(100);
    f.write_shared(mine);
    world.barrier();
    CHECK(f.position_shared() == 100 + world.size());
    world.barrier();
    f.close();
  };
  std::string expected = "123456789";
  for (std::size_t i = 0; i < static_cast<std::size_t>(world.size()); ++i)
    expected[i] = static_cast<char>('a' + i);
  {
    inside const there(r % 2 == 0 ? here / "a" : here / ".");
    // Once the file exists, and once it must be made.
    written(r % 2 == 0 ? "there" : r == 1 ? "./a/there" : "link/there", mode::read_write);
    CHECK_FALSE(error);
    CHECK(content_of(here / "a/there").substr(0, 9) == expected);
    written(r % 2 == 0 ? "new" : "link/new", mode::read_write | mode::create);
    CHECK_FALSE(error);
    CHECK(content_of(here / "a/new").substr(0, static_cast<std::size_t>(world.size())) ==
          expected.substr(0, static_cast<std::size_t>(world.size())));
  }
  written(r % 2 == 0 ? here / "beside" : here / "a/there", mode::read_write);
  CHECK_FALSE(error);
  world.barrier();
  CHECK(names_in(here / "a") == std::vector<std::string>{"new", "there"});
  CHECK(names_in(here / ".") == std::vector<std::string>{"a", "b", "beside", "link"});
  // Paths of different files must be an error, whatever exists.
  for (auto const& [one, other] : {std::pair("a/there", "b/there"),
                                   {"a/there", "a/not"},
                                   {"a/new2", "b/new2"},
                                   {"a/new2", "a/new3"}}) {
    CAPTURE(one, other);
    auto f = file::open(world, r % 2 == 0 ? here / one : here / other,
                        mode::read_write | mode::create, error);
    CHECK((error == errc::not_same) == (world.size() > 1));
    if (f.is_open()) f.close();
    world.barrier();
  }
  auto f = file::open(world, here / "a/there", r == 0 ? mode::read : mode::read_write, error);
  CHECK((error == errc::not_same) == (world.size() > 1));
  if (f.is_open()) f.close();
}

}  // namespace

TEST_CASE("ranks may call a file by different paths", "[file][open]") {
  check_names(io::mpi(MPI_COMM_WORLD));
}

TEST_CASE("ranks of several nodes may call a file by different paths", "[file][open]") {
  check_names(nodes_world(io::mpi(MPI_COMM_WORLD), {.per_node = 1}));
}

TEST_CASE("prefixes for other libraries are left out, unless a file has such a name",
          "[file][open]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  auto const made = [&](std::string const& path) {
    auto f = io::file::open(world, path, mode::create | mode::read_write);
    std::string const is = f.path();
    f.close();
    world.barrier();
    return is;
  };
  for (std::string const prefix : {"ufs:", "nfs:", "gpfs:", "lustre:"}) {
    CAPTURE(prefix);
    CHECK(made(prefix + (here / "data")) == here / "data");
    CHECK(made(world.rank() == 0 ? prefix + (here / "data") : here / "data") == here / "data");
  }
  inside const there(here / ".");
  for (std::string const name : {"x:1", "run:2", "ufs:", "ufs"}) CHECK(made(name) == name);
  if (world.rank() == 0) std::ofstream("nfs:there") << "1";
  world.barrier();
  CHECK(made("nfs:there") == "nfs:there");
  CHECK(made("nfs:other") == "other");
  CHECK(fs::exists(here / "other"));
  CHECK_FALSE(fs::exists(here / "nfs:other"));
  world.barrier();
}

namespace {

using one_file = io::basic_file<io::self>;

void write_to(std::string const& path, std::string const& text) { std::ofstream(path) << text; }

// The change of the file after it was made, and before the open fails on another rank.
enum class meanwhile { nothing, replaced, written, opened };

// Returns an opener that fails on the last rank, after `act`.
io::opener failing_after(io::mpi const& world, std::function<void(std::string const&)> act) {
  io::opener const below = io::posix_opener();
  if (world.rank() != world.size() - 1) return below;
  return below.opening([act](std::string const& path, io::extend::open_flags,
                             std::error_code& error) -> io::extend::any_handle {
    act(path);
    error = {EMFILE, std::system_category()};
    return {};
  });
}

}  // namespace

TEST_CASE(
    "a failed open removes the file that it made, and never what others have put there meanwhile",
    "[file][open][names]") {
  io::mpi const world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  for (mode const more : {mode::none, mode::exclusive, mode::append}) {
    for (meanwhile const what :
         {meanwhile::nothing, meanwhile::replaced, meanwhile::written, meanwhile::opened}) {
      CAPTURE(io::to_string(more), static_cast<int>(what));
      shared_scratch const here(world);
      one_file other;
      auto const act = [&](std::string const& path) {
        if (what == meanwhile::replaced) {
          write_to(here / "finished", "of another program");
          fs::rename(here / "finished", path);
        }
        if (what == meanwhile::written) write_to(path, "of another program");
        if (what == meanwhile::opened)
          other = one_file::open(io::self(), path, mode::create | mode::write);
      };
      std::error_code error;
      auto f = io::file::open(world, here / "state", mode::create | mode::write | more, error,
                              failing_after(world, act));
      CHECK(failed_on(world, world.size() - 1, errc::too_many_files, error));
      world.barrier();
      if (other.is_open()) {
        std::string const theirs = "of another program";
        other.write_at(0, theirs);
        other.close();
      }
      world.barrier();
      if (what == meanwhile::nothing)
        CHECK_FALSE(fs::exists(here / "state"));
      else
        CHECK(content_of(here / "state") == "of another program");
      world.barrier();
    }
  }
}

TEST_CASE("a file that is removed while it is opened is made anew, or is no such file",
          "[file][open][names]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::string const path = here / std::to_string(world.rank());
  io::opener const below = io::posix_opener();
  // Another open that fails removes the file that it has made, after this open has found it.
  int times = 0;
  io::opener const files = below.opening(
      [&](std::string const& name, io::extend::open_flags flags, std::error_code& error) {
        io::extend::any_handle opened = below(name, flags, error);
        if (!error && !flags.create && times-- > 0) fs::remove(name);
        return opened;
      });
  for (int const often : {1, 3}) {
    write_to(path, "");
    times = often;
    auto f = one_file::open(io::self(), path, mode::create | mode::write, {}, files);
    std::string const mine = "mine";
    f.write_at(0, mine);
    f.close();
    CHECK(content_of(path) == "mine");
    fs::remove(path);
  }
  write_to(path, "");
  times = 1;
  std::error_code error;
  auto f = one_file::open(io::self(), path, mode::read_write, error, files);
  CHECK(error == errc::no_such_file);
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("where opens of a file fail beside others that succeed, no byte of those is lost",
          "[file][open][names]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  bool const fails = world.rank() % 2 == 0;
  int sizes = 0;  // fails the first time, when append asks for the size of the new file
  io::opener const failing = with_question(
      io::posix_opener(),
      [&](std::string const&, io::extend::handle_call const& call) -> std::error_code {
        if (call.kind != io::file_call::size || sizes++ > 0) return {};
        return std::make_error_code(std::errc::io_error);
      });
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    std::string const path = here / std::to_string(round);
    world.barrier();
    std::error_code error;
    if (fails) {
      sizes = 0;
      auto f = one_file::open(io::self(), path, mode::create | mode::write | mode::append, error,
                              failing);
      CHECK(error == errc::io);
    } else {
      auto f = one_file::open(io::self(), path, mode::create | mode::write);
      char const mine = static_cast<char>('a' + world.rank());
      f.write_at(world.rank(), mine);
      f.close();
    }
    world.barrier();
    bool const some = world.size() > 1;
    if (!some) CHECK_FALSE(fs::exists(path));
    std::string const text = content_of(path);
    for (int r = 1; r < world.size(); r += 2)
      CHECK((std::ssize(text) > r && text[static_cast<std::size_t>(r)] == 'a' + r));
  }
}

namespace {

template <class World>
void check_removal(World const& world) {
  using file = io::basic_file<World>;
  shared_scratch const here(world);
  if (world.rank() == 0) {
    fs::create_directory(here / "one");
    fs::create_directory(here / "two");
    write_to(here / "two/scratch", "of somebody");
    fs::create_symlink("kept", here / "one/link");
    write_to(here / "one/kept", "");
  }
  world.barrier();
  mode const brief = mode::create | mode::read_write | mode::delete_on_close;
  {
    inside const there(here / "one");
    auto f = file::open(world, "scratch", brief);
    auto g = file::open(world, "link", brief);
    char const mine = 'a';
    f.write_at_all(world.rank(), mine);
    fs::current_path(here / "two");
    f.close();
    g.close();
  }
  CHECK(content_of(here / "two/scratch") == "of somebody");
  CHECK_FALSE(fs::exists(here / "one/scratch"));
  CHECK_FALSE(fs::is_symlink(
      here / "one/link"));  // deletes the name that was opened, not the file that it leads to
  CHECK(fs::exists(here / "one/kept"));
  world.barrier();

  // Another file has the name now, or no file has it.
  for (bool const replaced : {true, false}) {
    CAPTURE(replaced);
    auto f = file::open(world, here / "one/scratch", brief);
    world.barrier();
    if (world.rank() == 0) fs::rename(here / "one/scratch", here / "one/renamed");
    if (world.rank() == 0 && replaced) write_to(here / "one/scratch", "of another");
    world.barrier();
    std::error_code error;
    f.close(error);
    CHECK(failed_on(world, 0, errc::no_such_file, error));
    CHECK_FALSE(f.is_open());
    CHECK(content_of(here / "one/scratch") == (replaced ? "of another" : ""));
    CHECK(fs::exists(here / "one/renamed"));
    world.barrier();
    if (world.rank() == 0) fs::remove(here / "one/scratch");
    world.barrier();
  }
}

}  // namespace

TEST_CASE(
    "delete_on_close removes the file that was opened, wherever the process is by then, and no "
    "other",
    "[file][close][names]") {
  io::mpi const world(MPI_COMM_WORLD);
  check_removal(world);
  check_removal(nodes_world(world, {.per_node = 1}));
}

TEST_CASE("ranks may call a file by different paths while others write to it",
          "[file][open][names]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  if (world.rank() == 0) {
    fs::create_directory(here / "dir");
    write_to(here / "dir/x", "1");
    write_to(here / "dir/y", "1");
  }
  world.barrier();
  std::atomic<bool> ends = false;
  std::thread writer;
  if (world.rank() == 0)
    writer = std::thread([&, path = here / "dir/x"] {
      int const f = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
      while (!ends) (void)!::write(f, "a line\n", 7);
      ::close(f);
    });
  int refused = 0;
  for (int i = 0; i < 30; ++i) {
    std::error_code error;
    auto f = io::file::open(world, here / (world.rank() % 2 == 0 ? "dir/x" : "dir/./x"), mode::read,
                            error);
    refused += error ? 1 : 0;
    if (f.is_open()) f.close();
  }
  CHECK(refused == 0);
  std::error_code error;
  auto f =
      io::file::open(world, here / (world.rank() % 2 == 0 ? "dir/x" : "dir/y"), mode::read, error);
  CHECK((error == errc::not_same) == (world.size() > 1));
  ends = true;
  if (writer.joinable()) writer.join();
}
