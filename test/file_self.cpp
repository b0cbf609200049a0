// Files of one rank, without MPI: every call does what it says.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/self.hpp>

#include "support/file_cases.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("files are opened as their modes say, or not at all", "[file][open][self]") { check_open_modes(io::self()); }
TEST_CASE("append starts at the end of the file", "[file][open][self]") { check_append(io::self()); }
TEST_CASE("delete_on_close deletes on close", "[file][open][self]") { check_delete_on_close(io::self()); }
TEST_CASE("sequential files know shared pointers only", "[file][open][self]") { check_sequential(io::self()); }
TEST_CASE("files move, also with a request under way", "[file][open][self]") { check_moves(io::self()); }
TEST_CASE("pointers count etypes of the view", "[file][pointer][self]") { check_pointers(io::self()); }
TEST_CASE("size, space, sync, atomic mode and extents of types", "[file][size][self]") { check_sizes(io::self()); }
TEST_CASE("views are given as values, by functions and by name", "[file][view][self]") { check_views(io::self()); }
TEST_CASE("external32 is big-endian, and long has four bytes", "[file][view][self]") { check_external32(io::self()); }
TEST_CASE("reads end at the end of the file, holes are zeros, nothing does nothing", "[file][read][self]") {
  check_ends_and_holes(io::self());
}
TEST_CASE("a view that names bytes twice may be read", "[file][read][self]") { check_overlapping_reads(io::self()); }
TEST_CASE("ordered calls come in the order of ranks", "[file][shared][self]") { check_ordered(io::self()); }
TEST_CASE("the shared pointer moves while other ranks compute, and every open has its own", "[file][shared][self]") {
  check_shared_pointer(io::self());
}
TEST_CASE("two files are open at once", "[file][open][self]") { check_two_files(io::self()); }
TEST_CASE("offsets reach beyond 8 GiB", "[file][size][self]") { check_far_offsets(io::self()); }
TEST_CASE("requests end by test, wait, wait_all, destructor or close", "[file][request][self]") {
  check_requests(io::self());
}
TEST_CASE("hints are kept, plans say what calls then do", "[file][hints][self]") { check_hints_and_plans(io::self()); }
