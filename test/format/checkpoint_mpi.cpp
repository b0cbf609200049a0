// Checkpoints under mpiexec, on real files.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <argosy/format/checkpoint.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "format/checkpoint_cases.hpp"
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

TEST_CASE("a checkpoint beside nothing is an error in all processes", "[format][checkpoint][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  state now(world.rank(), world.size(), 1, true);
  std::error_code error;
  auto c = now.named<io::mpi>();
  c.save(world, here / "none/f", error);
  CHECK((error == io::errc::no_such_file || (world.rank() > 0 && error == io::errc::error_on_another_rank)));
  c.load(world, here / "f", error);
  CHECK(error == io::errc::no_such_file);
}

namespace {

struct thrown_by_program {};

// A container of the program, whose size() throws where it is told to.
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

// What a rank gets where rank `who` threw in a call with an error_code.
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

TEST_CASE("a container that throws in save, load or a write keeps no process waiting", "[format][checkpoint][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  odd_container mine;
  io::checkpoint c;
  c.add("mine", io::darray<double, 1>({8 * world.size()}, io::distribute::block, {world.size()}, world.rank()), mine);
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
