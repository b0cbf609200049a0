// Checkpoints under mpiexec, on real files.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <argosy/format/checkpoint.hpp>

#include <filesystem>
#include <string>
#include <system_error>

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
