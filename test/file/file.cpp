// Files under mpiexec: every call must do what its documentation says.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/handle/faulty.hpp>

#include "support/file_cases.hpp"
#include "support/file_data_cases.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("files are opened as their modes say, or not at all", "[file][open]") {
  check_open_modes(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("append starts at the end of the file", "[file][open]") {
  check_append(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("delete_on_close deletes on close", "[file][open]") {
  check_delete_on_close(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("sequential files know shared pointers only", "[file][open]") {
  check_sequential(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("files move, also with a request under way", "[file][open]") {
  check_moves(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("pointers count etypes of the view", "[file][pointer]") {
  check_pointers(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("size, space, sync, atomic mode and extents of types", "[file][size]") {
  check_sizes(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("views are given as values, by functions and by name", "[file][view]") {
  check_views(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("external32 is big-endian, and long has four bytes", "[file][view]") {
  check_external32(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("reads end at the end of the file, holes are zeros, nothing does nothing",
          "[file][read]") {
  check_ends_and_holes(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("a view that names bytes twice may be read", "[file][read]") {
  check_overlapping_reads(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("ordered calls come in the order of ranks", "[file][shared]") {
  check_ordered(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("the shared pointer moves while other ranks compute, and every open has its own",
          "[file][shared]") {
  check_shared_pointer(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("two files are open at once", "[file][open]") {
  check_two_files(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("offsets reach beyond 8 GiB", "[file][size]") {
  check_far_offsets(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("requests end by test, wait, wait_all, destructor or close", "[file][request]") {
  check_requests(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("hints are kept, plans say what calls then do", "[file][hints]") {
  check_hints_and_plans(io::mpi(MPI_COMM_WORLD));
}

TEST_CASE("truncate cuts what an older file had, when all ranks have opened it", "[file][open]") {
  using io::mode;
  io::mpi const world(MPI_COMM_WORLD);
  io::test::shared_scratch const here(world);
  std::string const path = here / "older";
  std::int64_t const rank = world.rank(), n = world.size();
  auto const older = [&] {
    std::vector<char> const data(1000, 'o');
    auto f = io::file::open(world, path, mode::create | mode::write);
    f.write_at_all(1000 * rank, data);
    f.close();
  };
  auto const size = [&] {
    auto f = io::file::open(world, path, mode::read);
    std::int64_t const bytes = f.size();
    f.close();
    return bytes;
  };
  for (mode const more : {mode::none, mode::append, mode::create, mode::unique_open}) {
    older();
    auto f = io::file::open(world, path, mode::read_write | mode::truncate | more);
    CHECK(f.size() == 0);
    CHECK(f.position() == 0);
    world.barrier();
    std::vector<char> const data(10, 'n');
    f.write_at_all(10 * rank, data);
    f.close();
    CHECK(size() == 10 * n);
  }

  // If a rank cannot open the file, or truncating fails, the file must stay as before and not be
  // open.
  older();
  auto const script = std::make_shared<io::fault_script>();
  if (rank == 0) script->add(io::fail_at(io::file_call::resize, 1, std::errc::io_error));
  auto const broken = std::make_shared<io::fault_script>();
  if (rank == n - 1)
    broken->add(io::fail_at(io::file_call::open, 1, std::errc::too_many_files_open));
  for (auto const& s : {script, broken}) {
    std::error_code error;
    auto f = io::file::open(world, path, mode::write | mode::truncate, error,
                            io::with_faults(io::posix_opener(), s));
    CHECK(error);
    CHECK_FALSE(f.is_open());
    CHECK(size() == 1000 * n);
  }
  std::error_code error;
  auto f = io::file::open(world, path, mode::read | mode::truncate, error);
  CHECK(error == io::errc::amode);
  CHECK(size() == 1000 * n);
}
