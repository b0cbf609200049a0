// Checkpoints under mpiexec, on real files.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <argosy/format/any_world.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/xdmf.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "format/checkpoint_cases.hpp"
#include "support/asking_before.hpp"
#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("what processes save, other processes load in other parts, and nothing else is left",
          "[format][checkpoint]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  check_checkpoints(world, here / "f", io::posix_opener(), 5);
  CHECK(std::distance(std::filesystem::directory_iterator(here / ""), {}) == 1);
}

TEST_CASE("a checkpoint beside nothing is an error in all processes",
          "[format][checkpoint][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  state now(world.rank(), world.size(), 1, true);
  std::error_code error;
  auto c = now.named<io::mpi>();
  c.save(world, here / "none/f", error);
  CHECK((error == io::errc::no_such_file ||
         (world.rank() > 0 && error == io::errc::error_on_another_rank)));
  c.load(world, here / "f", error);
  CHECK(error == io::errc::no_such_file);
}

namespace {

struct thrown_by_program {};

// A container of the program whose size() throws on request.
struct odd_container {
  std::vector<double> held = std::vector<double>(8, 1.5);
  bool throws = false;

  std::size_t size() const {
    if (throws) throw thrown_by_program();
    return held.size();
  }
  double* data() { return held.data(); }
  double const* data() const { return held.data(); }
  double* begin() { return data(); }
  double* end() { return data() + held.size(); }
  double const* begin() const { return data(); }
  double const* end() const { return data() + held.size(); }
  void resize(std::size_t n) { held.resize(n); }
};

// Returns true if this rank gets what it should: rank `who` the exception, the others an error.
template <class Call>
bool only_thrown_on(int who, io::mpi const& world, Call&& call) {
  std::error_code error;
  bool thrown = false;
  try {
    call(error);
  } catch (thrown_by_program const&) {
    thrown = true;
  }
  return world.rank() == who ? thrown : !thrown && error == io::errc::error_on_another_rank;
}

}  // namespace

TEST_CASE("a container that throws in save, load or a write keeps no process waiting",
          "[format][checkpoint][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  odd_container mine;
  io::checkpoint c;
  c.add("mine",
        io::darray<double, 1>({8 * world.size()}, io::distribute::block, {world.size()},
                              world.rank()),
        mine);
  c.save(world, here / "f");
  auto g = io::file::open(world, here / "g", io::mode::create | io::mode::read_write);
  for (int who = 0; who < world.size(); ++who) {
    mine.throws = world.rank() == who;
    CHECK(only_thrown_on(who, world, [&](std::error_code& e) { c.save(world, here / "f", e); }));
    CHECK(only_thrown_on(who, world, [&](std::error_code& e) { c.load(world, here / "f", e); }));
    CHECK(only_thrown_on(who, world, [&](std::error_code& e) { g.write_all(mine, e); }));
    CHECK(only_thrown_on(who, world, [&](std::error_code& e) { g.read_all(mine, e); }));
    mine.throws = false;
    c.load(world, here / "f");
  }
  g.close();
}

TEST_CASE("prefixes for other libraries are left out of the names of checkpoints and .xdmf files",
          "[format][names]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::string const path = here / "f";
  state before(world.rank(), world.size(), 7, true), after(world.rank(), world.size(), 0, false);
  for (std::string const prefix : {"ufs:", "gpfs:", "ufs:nfs:"}) {
    before.named<io::mpi>().save(world, prefix + path);
    after.named<io::mpi>().load(world, prefix + path);
    CHECK(after.number == 7);
    CHECK(std::distance(std::filesystem::directory_iterator(here / ""), {}) == 1);
    CHECK_NOTHROW(io::read_header(prefix + path));
    CHECK(io::find_damage(prefix + path).empty());
    world.barrier();
  }
  io::xdmf run({.points = {4}});
  run.add(0, "u", "ufs:" + (here / "u.raw"),
          io::darray<double, 1>({4}, io::distribute::block, {1}, 0));
  run.save(world, "nfs:" + (here / "run.xdmf"));
  world.barrier();
  CHECK(content_of(here / "run.xdmf").find(">u.raw<") != std::string::npos);
  CHECK(std::distance(std::filesystem::directory_iterator(here / ""), {}) == 2);
  world.barrier();
}

TEST_CASE("a save that fails removes its own file, wherever the process is by then, and no other",
          "[format][checkpoint][names]") {
  io::mpi const world(MPI_COMM_WORLD);
  for (bool const replaced : {false, true}) {
    CAPTURE(replaced);
    shared_scratch const here(world);
    auto const before = std::filesystem::current_path();
    if (world.rank() == 0) std::filesystem::create_directory(here / "elsewhere");
    world.barrier();
    std::filesystem::current_path(here / "");
    std::string part;
    io::opener const files = with_question(
        io::posix_opener(),
        [&](std::string const& path, io::extend::handle_call const& call) -> std::error_code {
          if (world.rank() != 0 || call.kind != io::file_call::sync) return {};
          part = path;
          std::filesystem::current_path(here / "elsewhere");
          std::ofstream(here / ("elsewhere/" + path)) << "of somebody";
          if (replaced) {
            std::ofstream(here / "finished") << "of another";
            std::filesystem::rename(here / "finished", here / path);
          }
          return std::make_error_code(std::errc::io_error);
        });
    std::error_code error;
    state(world.rank(), world.size(), 1, true).named<io::mpi>().save(world, "f", error, files);
    CHECK(failed_on(world, 0, io::errc::io, error));
    if (world.rank() == 0) {
      CHECK(part.ends_with(".part"));
      CHECK(content_of(here / ("elsewhere/" + part)) == "of somebody");
      CHECK(content_of(here / part) == (replaced ? "of another" : ""));
      CHECK(std::filesystem::exists(here / part) == replaced);
    }
    std::filesystem::current_path(before);
    world.barrier();
  }
}

TEST_CASE("the agreements of save and load do not grow with the number of arrays",
          "[format][checkpoint]") {
  io::mpi const everyone(MPI_COMM_WORLD);
  shared_scratch const here(everyone);
  plain_world const world(everyone);
  std::vector<double> u(5);
  auto const part = io::subarray({5 * world.size()}, {5}, {5 * world.rank()}, io::type<double>);
  struct counts {
    int save, load;
  };
  auto const reductions = [&](int arrays) {
    io::basic_checkpoint<plain_world> c;
    for (int i = 0; i < arrays; ++i) c.add("u" + std::to_string(i), part, u);
    int const before = world.asked().reductions;
    c.save(world, here / "f");
    int const between = world.asked().reductions;
    c.load(world, here / "f");
    return counts{between - before, world.asked().reductions - between};
  };
  counts const one = reductions(1), ten = reductions(10);
  CHECK(ten.save <= one.save + 4);
  CHECK(ten.load <= one.load + 4);
}
