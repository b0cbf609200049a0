// The snippets about Boost.MPI in docs/use/datatypes.md and docs/use/worlds.md. Their claims are
// asserted. Run: mpiexec -n 4 snippets_boost_mpi
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/datatype/boost_mpi.hpp>
#include <argosy/file/file.hpp>
#include <argosy/world/boost_mpi.hpp>

#include <boost/mpi/cartesian_communicator.hpp>
#include <boost/mpi/collectives/broadcast.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/list.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <vector>

namespace io = argosy;

namespace {

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::exit(1);
}
#define REQUIRE(...) require((__VA_ARGS__), #__VA_ARGS__)

}  // namespace

// [boost_type]
// Needs <argosy/datatype/boost_mpi.hpp>.
struct star {
  double mass;
  char kind;
  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a & mass & kind;
  }
};
BOOST_IS_MPI_DATATYPE(star)
// [boost_type]

// [boost_tree]
struct branch {
  double length = 0;
  std::list<branch> branches;
  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a & length & branches;
  }
};
// [boost_tree]

namespace {

constexpr auto temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;

void types(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "snippets_boost_types.dat", temporary);
  // [boost_write]
  std::vector<star> stars(10, star{1.5, 'M'});
  auto const [first, all] = io::share_of(world, stars.size());
  f.set_view(0, io::packed(io::type<star>));  // 9 bytes each, without gaps
  f.write_at_all(first, stars);               // the padding in memory does not change
  // [boost_write]
  REQUIRE(f.size() == all * 9);
  f.close();
}

void contents(boost::mpi::communicator const& world) {
  branch root{1, {{2, {}}, {3, {{4, {}}}}}};
  auto f = io::file::open(world, "snippets_boost_contents.dat", temporary);
  io::source const nothing;
  bool const first = world.rank() == 0;
  // [boost_content]
  f.write_at_all(0, first ? io::source(io::content_of(root)) : nothing);  // 4 numbers
  branch copy;
  if (first) copy = root;
  // The other ranks get an object of the same skeleton, and all of them read the numbers.
  boost::mpi::broadcast(world, boost::mpi::skeleton(copy), 0);
  f.read_at_all(0, io::content_of(copy));
  // [boost_content]
  REQUIRE(f.size() == 32 && copy.branches.back().branches.front().length == 4);
  f.close();
}

void grids(boost::mpi::communicator const& world) {
  constexpr int ny = 32, nx = 64;
  // [boost_grid]
  using namespace io::distribute;
  std::vector<int> sizes(2);
  boost::mpi::cartesian_dimensions(world.size(), sizes);
  std::vector<bool> const periodic{false, true};
  boost::mpi::cartesian_communicator const ranks(
      world, boost::mpi::cartesian_topology(sizes, periodic), true);
  io::darray<double, 2> const tile({ny, nx}, block, io::grid_of(ranks), ranks.rank());
  auto f = io::file::open(ranks, "array.dat", temporary);
  f.set_view(0, tile);
  // [boost_grid]
  std::vector<double> const mine(static_cast<std::size_t>(tile.form().size()) / sizeof(double));
  f.write_all(mine);
  REQUIRE(f.size() == ny * nx * 8);
  REQUIRE(io::grid_of(ranks).periodic(1) && !io::grid_of(ranks).periodic(0));
  f.close();
}

}  // namespace

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  types(world);
  contents(world);
  grids(world);
}
