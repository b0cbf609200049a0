// Names of files: the same file by different paths, and prefixes.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
namespace fs = std::filesystem;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

// This process is in another directory for a while.
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
  for (auto const& e : fs::directory_iterator(directory)) all.push_back(e.path().filename().string());
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
  for (std::size_t i = 0; i < static_cast<std::size_t>(world.size()); ++i) expected[i] = static_cast<char>('a' + i);
  {
    inside const there(r % 2 == 0 ? here / "a" : here / ".");
    // It is there; it is to be made.
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
  // What is not the same file stays an error, whatever is there.
  for (auto const& [one, other] :
       {std::pair("a/there", "b/there"), {"a/there", "a/not"}, {"a/new2", "b/new2"}, {"a/new2", "a/new3"}}) {
    CAPTURE(one, other);
    auto f = file::open(world, r % 2 == 0 ? here / one : here / other, mode::read_write | mode::create, error);
    CHECK((error == errc::not_same) == (world.size() > 1));
    if (f.is_open()) f.close();
    world.barrier();
  }
  auto f = file::open(world, here / "a/there", r == 0 ? mode::read : mode::read_write, error);
  CHECK((error == errc::not_same) == (world.size() > 1));
  if (f.is_open()) f.close();
}

}  // namespace

TEST_CASE("ranks may call a file by different paths", "[file][open]") { check_names(io::mpi(MPI_COMM_WORLD)); }

TEST_CASE("ranks of several nodes may call a file by different paths", "[file][open]") {
  check_names(nodes_world(io::mpi(MPI_COMM_WORLD), {.per_node = 1}));
}

TEST_CASE("prefixes for other libraries are left out, unless a file has such a name", "[file][open]") {
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
