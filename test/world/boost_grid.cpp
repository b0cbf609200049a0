// Grids of Cartesian communicators of Boost.MPI, and how often opening a file duplicates a
// communicator.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include <mpi.h>

#include <boost/mpi/cartesian_communicator.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/graph_communicator.hpp>
#include <boost/mpi/group.hpp>

#include <argosy/datatype/darray.hpp>
#include <argosy/file/file.hpp>
#include <argosy/world/boost_mpi.hpp>

#include "support/shared_scratch.hpp"

namespace io = argosy;
namespace mpi = boost::mpi;
using namespace io::test;

namespace {

int duplicates = 0;

}  // namespace

// Called instead of the functions of MPI, by the library and by Boost.MPI.
extern "C" {
int MPI_Comm_dup(MPI_Comm old, MPI_Comm* made) {
  ++duplicates;
  return PMPI_Comm_dup(old, made);
}
int MPI_Comm_dup_with_info(MPI_Comm old, MPI_Info info, MPI_Comm* made) {
  ++duplicates;
  return PMPI_Comm_dup_with_info(old, info, made);
}
int MPI_Comm_idup(MPI_Comm old, MPI_Comm* made, MPI_Request* request) {
  ++duplicates;
  return PMPI_Comm_idup(old, made, request);
}
}

TEST_CASE("a grid has the dimensions, flags and coordinates of the communicator",
          "[world][boost][grid]") {
  mpi::communicator const world;
  int const n = world.size();
  std::vector<int> plane(2), cube(3);
  mpi::cartesian_dimensions(n, plane);
  mpi::cartesian_dimensions(n, cube);
  std::vector<mpi::cartesian_topology> const all{
      mpi::cartesian_topology{{n, true}}, mpi::cartesian_topology{{1, false}, {n, true}},
      mpi::cartesian_topology(plane, std::vector<bool>{true, false}),
      mpi::cartesian_topology(cube, std::vector<bool>{false, true, true})};
  for (mpi::cartesian_topology const& t : all)
    for (bool const reorder : {false, true}) {
      mpi::cartesian_communicator const ranks(world, t, reorder);
      io::process_grid const grid = io::grid_of(ranks);
      REQUIRE(grid.size() == n);
      REQUIRE(grid.dimensions() == ranks.ndims());
      for (int d = 0; d < grid.dimensions(); ++d) {
        CHECK(grid.extent(d) == t[static_cast<std::size_t>(d)].size);
        CHECK(grid.periodic(d) == t[static_cast<std::size_t>(d)].periodic);
        auto const [from, to] = ranks.shifted_ranks(d, 1);
        CHECK(grid.neighbour(ranks.rank(), d, 1).value_or(MPI_PROC_NULL) == to);
        CHECK(grid.neighbour(ranks.rank(), d, -1).value_or(MPI_PROC_NULL) == from);
      }
      for (int r = 0; r < n; ++r) {
        std::vector<int> const expected = ranks.coordinates(r);
        CHECK(std::ranges::equal(grid.coordinates(r), expected));
        CHECK(grid.rank(expected) == r);
      }
    }
}

TEST_CASE("a rank outside of the grid has none", "[world][boost][grid]") {
  mpi::communicator const world;
  mpi::cartesian_communicator const one(world, mpi::cartesian_topology{{1, false}});
  if (one)
    CHECK(io::grid_of(one).size() == 1);
  else
    CHECK_THROWS_AS(io::grid_of(one), std::invalid_argument);
}

TEST_CASE("each rank of a Cartesian communicator writes its tile of an array",
          "[world][boost][grid][file]") {
  using namespace io::distribute;
  constexpr int rows = 7, columns = 10;
  mpi::communicator const world;
  std::vector<int> ranks_along(2);
  mpi::cartesian_dimensions(world.size(), ranks_along);
  mpi::cartesian_communicator const ranks(
      world, mpi::cartesian_topology(ranks_along, std::vector<bool>{false, false}), true);
  io::darray<int, 2> const tile({rows, columns}, {cyclic(2), block}, io::grid_of(ranks),
                                ranks.rank());
  std::vector<int> const mine(static_cast<std::size_t>(tile.form().size()) / sizeof(int),
                              ranks.rank());
  io::mpi const of_all{ranks};
  shared_scratch const here(of_all);
  auto f = io::file::open(ranks, here / "array", io::mode::create | io::mode::read_write);
  CHECK(f.world().rank() == ranks.rank());
  f.set_view(0, tile);
  f.write_all(mine);
  f.set_view(0, io::type<int>);
  std::vector<int> all(rows * columns, -1);
  f.read_at_all(0, all);
  f.close();
  int const block_columns = (columns + ranks_along[1] - 1) / ranks_along[1];
  bool well = true;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      well = well && all[static_cast<std::size_t>(y * columns + x)] ==
                         ranks.rank({y / 2 % ranks_along[0], x / block_columns});
  CHECK(well);
}

TEST_CASE("opening a file duplicates the communicator once", "[world][boost][file]") {
  mpi::communicator const world;
  mpi::communicator const own(world, mpi::comm_duplicate);
  mpi::cartesian_communicator const grid(world, mpi::cartesian_topology{{world.size(), false}});
  io::mpi const of_all{world};
  shared_scratch const here(of_all);
  std::vector<int> const data{1, 2, 3};
  auto const count = [&](auto const& ranks) {
    int const before = duplicates;
    auto f = io::file::open(ranks, here / "file", io::mode::create | io::mode::read_write);
    f.write_all(data);
    f.close();
    return duplicates - before;
  };
  CHECK(duplicates > 0);  // the wrapper has counted that of `own`
  CHECK(count(world) == 1);
  CHECK(count(own) == 1);
  CHECK(count(grid) == 1);
  CHECK(count(MPI_Comm(world)) == 1);
  int const before = duplicates;
  io::mpi const attached(own);
  io::mpi const copy = attached;
  CHECK(duplicates == before);
  CHECK(copy.get() == MPI_Comm(own));
}
