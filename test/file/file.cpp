// Files under mpiexec: every call does what it says.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <argosy/file/file.hpp>

#include "support/file_cases.hpp"
#include "support/file_data_cases.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("files are opened as their modes say, or not at all", "[file][open]") {
  check_open_modes(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("append starts at the end of the file", "[file][open]") { check_append(io::mpi(MPI_COMM_WORLD)); }
TEST_CASE("delete_on_close deletes on close", "[file][open]") { check_delete_on_close(io::mpi(MPI_COMM_WORLD)); }
TEST_CASE("sequential files know shared pointers only", "[file][open]") { check_sequential(io::mpi(MPI_COMM_WORLD)); }
TEST_CASE("files move, also with a request under way", "[file][open]") { check_moves(io::mpi(MPI_COMM_WORLD)); }
TEST_CASE("pointers count etypes of the view", "[file][pointer]") { check_pointers(io::mpi(MPI_COMM_WORLD)); }
TEST_CASE("size, space, sync, atomic mode and extents of types", "[file][size]") {
  check_sizes(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("views are given as values, by functions and by name", "[file][view]") {
  check_views(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("external32 is big-endian, and long has four bytes", "[file][view]") {
  check_external32(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("reads end at the end of the file, holes are zeros, nothing does nothing", "[file][read]") {
  check_ends_and_holes(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("a view that names bytes twice may be read", "[file][read]") {
  check_overlapping_reads(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("ordered calls come in the order of ranks", "[file][shared]") { check_ordered(io::mpi(MPI_COMM_WORLD)); }
TEST_CASE("the shared pointer moves while other ranks compute, and every open has its own", "[file][shared]") {
  check_shared_pointer(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("two files are open at once", "[file][open]") { check_two_files(io::mpi(MPI_COMM_WORLD)); }
TEST_CASE("offsets reach beyond 8 GiB", "[file][size]") { check_far_offsets(io::mpi(MPI_COMM_WORLD)); }
TEST_CASE("requests end by test, wait, wait_all, destructor or close", "[file][request]") {
  check_requests(io::mpi(MPI_COMM_WORLD));
}
TEST_CASE("hints are kept, plans say what calls then do", "[file][hints]") {
  check_hints_and_plans(io::mpi(MPI_COMM_WORLD));
}
