// The shared pointer between nodes: where it lies, and what works if no file can be made for it.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

using nodes_file = io::basic_file<nodes_world>;

nodes_world one_rank_a_node() { return {io::mpi(MPI_COMM_WORLD), {.per_node = 1}}; }

// Returns an opener that counts the opens of files that hold a shared pointer.
io::opener counting(std::shared_ptr<std::atomic<int>> const& pointers) {
  io::opener const below = io::posix_opener();
  return below.opening(
      [=](std::string const& path, io::extend::open_flags flags, std::error_code& error) {
        if (path.find(".pointer-") != std::string::npos) ++*pointers;
        return below(path, flags, error);
      });
}

// Returns the number of open descriptors of files that hold a shared pointer.
int open_pointers() {
  int n = 0;
  for (auto const& d : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    std::filesystem::path const file = std::filesystem::read_symlink(d.path(), gone);
    if (!gone && file.string().find(".pointer-") != std::string::npos) ++n;
  }
  return n;
}

// Returns the numbers that all ranks have written, sorted, because their order is open.
std::vector<int> sorted_ints(std::string const& path) {
  std::string const bytes = content_of(path);
  std::vector<int> all(bytes.size() / 4);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(all.data()));
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("ordered calls between nodes need no file for the shared pointer", "[file][shared]") {
  nodes_world const world = one_rank_a_node();
  shared_scratch const here(world);
  auto const pointers = std::make_shared<std::atomic<int>>(0);
  auto f = nodes_file::open(world, here / "data", mode::create | mode::read_write, {},
                            counting(pointers));
  f.set_view(0, io::type<int>);
  for (int k = 0; k < 3; ++k) {
    std::vector<int> const mine(static_cast<std::size_t>(world.rank() + 1), 100 * k + world.rank());
    f.write_ordered(mine);
  }
  int const of_all = world.size() * (world.size() + 1) / 2;
  f.seek_shared(-of_all, io::seek_from::current);
  std::vector<int> last(static_cast<std::size_t>(world.rank() + 1));
  f.begin_read_ordered(last);
  CHECK(f.end().bytes == 4 * (world.rank() + 1));
  CHECK(std::count(last.begin(), last.end(), 200 + world.rank()) == world.rank() + 1);
  CHECK(*pointers == 0);
  CHECK(f.size() == 4 * 3 * of_all);
  f.close();
}

TEST_CASE("ordered and other calls at the shared pointer follow each other", "[file][shared]") {
  nodes_world const world = one_rank_a_node();
  shared_scratch const here(world);
  auto f = nodes_file::open(world, here / "data", mode::create | mode::read_write);
  f.set_view(0, io::type<int>);
  std::vector<int> expected;
  int next = 0;
  auto const write = [&](bool ordered, int turns) {
    for (int t = 0; t < turns; ++t) {
      int const mine = next + world.rank();
      ordered ? f.write_ordered(mine) : f.write_shared(mine);
      for (int r = 0; r < world.size(); ++r) expected.push_back(next + r);
      next += world.size();
    }
    world.barrier();
    CHECK(f.position_shared() == next);
    world.barrier();
  };
  write(true, 2);
  write(false, 3);
  write(true, 1);
  write(true, 2);
  write(false, 1);
  // Only one rank has used the file since. The others must learn of it.
  int const alone = -1;
  if (world.rank() == 0) f.write_shared(alone);
  ++next;
  expected.insert(expected.begin(), -1);
  write(true, 1);
  f.seek_shared(0, io::seek_from::current);
  write(true, 1);
  CHECK(sorted_ints(here / "data") == expected);
  f.close();
  world.barrier();  // one rank removes the hidden file
  int names = 0;
  for ([[maybe_unused]] auto const& e : std::filesystem::directory_iterator(here / ".")) ++names;
  CHECK(names == 1);
  world.barrier();
}

TEST_CASE("close closes the file of the shared pointer on every rank", "[file][shared]") {
  nodes_world const world = one_rank_a_node();
  shared_scratch const here(world);
  auto f = nodes_file::open(world, here / "data", mode::create | mode::read_write);
  f.set_view(0, io::type<int>);
  int const mine = world.rank();
  f.write_shared(mine);
  CHECK(open_pointers() == (world.size() > 1 ? 1 : 0));
  f.close();  // `f` still lives
  CHECK(open_pointers() == 0);
}

TEST_CASE("a file with a long name has a shared pointer", "[file][shared]") {
  nodes_world const world = one_rank_a_node();
  shared_scratch const here(world);
  int const one = 1;
  for (std::size_t const letters : {100U, 101U, 240U, 255U}) {
    CAPTURE(letters);
    auto f =
        nodes_file::open(world, here / std::string(letters, 'n'), mode::create | mode::read_write);
    f.set_view(0, io::type<int>);
    f.write_shared(one);
    f.write_ordered(one);
    world.barrier();
    CHECK(f.position_shared() == 2 * world.size());
    world.barrier();
    f.close();
  }
}

TEST_CASE("where no file can be made ranks of several nodes read at the shared pointer",
          "[file][shared]") {
  nodes_world const world = one_rank_a_node();
  shared_scratch const here(world);
  std::string const place = here / "mounted";
  // Mounted by rank 0. The other ranks must be in its mount namespace.
  std::unique_ptr<small_tmpfs> disk;
  if (world.rank() == 0) disk = std::make_unique<small_tmpfs>(place, "size=1m");
  int ready = world.rank() == 0 && disk->mounted() ? 1 : 0;
  world.broadcast(std::as_writable_bytes(std::span(&ready, 1)), 0);
  if (ready == 0) return skipped("no file system can be mounted");
  constexpr int count = 60;
  if (world.rank() == 0) {
    std::vector<int> all(count);
    for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i;
    auto made =
        io::basic_file<io::self>::open(io::self(), place + "/data", mode::create | mode::write);
    made.write_at(0, all);
    made.close();
    CHECK(disk->make_read_only());
  }
  world.barrier();
  {
    auto f = nodes_file::open(world, place + "/data", mode::read);
    f.set_view(0, io::type<int>);
    std::vector<int> mine(count), every(static_cast<std::size_t>(count * world.size()));
    int const share = count / 2 / world.size();
    for (int k = 0; k < share; ++k) {
      int got = -1;
      CHECK(f.read_shared(got).bytes == 4);
      if (got >= 0) ++mine[static_cast<std::size_t>(got)];
    }
    world.barrier();
    int got = -1;
    CHECK(f.read_ordered(got).bytes == 4);
    CHECK(got == share * world.size() + world.rank());
    f.seek_shared(1, io::seek_from::current);
    CHECK(f.position_shared() == (share + 1) * world.size() + 1);
    world.barrier();
    f.read_shared(got);
    f.close();
    world.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(every)));
    for (std::size_t i = 0; i < count; ++i) {
      int times = 0;
      for (std::size_t r = 0; r < static_cast<std::size_t>(world.size()); ++r)
        times += every[r * count + i];
      CHECK(times == (static_cast<int>(i) < share * world.size() ? 1 : 0));
    }
  }
  world.barrier();
}

TEST_CASE("a sequential file whose pointer cannot be read keeps its view, and all ranks are told",
          "[file][shared][errors]") {
  nodes_world const world = one_rank_a_node();
  if (world.size() == 1) return;
  shared_scratch const here(world);
  auto const broken = std::make_shared<std::atomic<bool>>(false);
  io::opener const below = io::posix_opener();
  io::opener const files = below.opening(
      [=](std::string const& path, io::extend::open_flags flags, std::error_code& error) {
        if (!*broken || path.find(".pointer-") == std::string::npos)
          return below(path, flags, error);
        error = std::make_error_code(std::errc::io_error);
        return io::extend::any_handle();
      });
  auto f = nodes_file::open(world, here / "data", mode::create | mode::write | mode::sequential, {},
                            files);
  std::vector<int> const three{1, 2, 3};
  if (world.rank() == 1) f.write_shared(three);
  world.barrier();
  *broken = world.rank() == 0;  // rank 0 reads the pointer for all ranks
  std::error_code error;
  f.set_view(io::extend::current_displacement, io::type<int>, error);
  CHECK(error == (world.rank() == 0 ? errc::io : errc::error_on_another_rank));
  CHECK(f.view().etype().extent() == 1);
  *broken = false;
  f.set_view(io::extend::current_displacement, io::type<int>);
  CHECK(f.view().displacement() == 12);
  f.close();
}

TEST_CASE("ranks that change their directories after open keep one shared pointer",
          "[file][shared][names]") {
  nodes_world const world = one_rank_a_node();
  shared_scratch const here(world);
  auto const before = std::filesystem::current_path();
  std::string const mine = here / std::to_string(world.rank());
  std::filesystem::create_directory(mine);
  if (world.rank() == 0) std::filesystem::create_directory(here / "data");
  world.barrier();
  std::filesystem::current_path(here / "data");
  {
    auto f = nodes_file::open(world, "shared", mode::create | mode::read_write);
    std::filesystem::current_path(mine);
    std::vector<std::byte> const ten(10, static_cast<std::byte>('a' + world.rank()));
    for (int turn = 0; turn < 3; ++turn) f.write_shared(ten);
    world.barrier();
    CHECK(f.position_shared() == 30 * world.size());
    CHECK(f.size() == 30 * world.size());
    world.barrier();
    f.close();
  }
  world.barrier();
  std::string const all = content_of(here / "data/shared");
  for (int r = 0; r < world.size(); ++r) CHECK(std::count(all.begin(), all.end(), 'a' + r) == 30);
  CHECK(std::filesystem::is_empty(mine));
  // The hidden file is gone.
  CHECK(std::distance(std::filesystem::directory_iterator(here / "data"), {}) == 1);
  std::filesystem::current_path(before);
  world.barrier();
}
