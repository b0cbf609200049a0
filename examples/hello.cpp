// The first program of the README: each rank writes its tile of an array.
// Run: mpiexec -n 4 build/release/bin/hello
// SPDX-License-Identifier: BSD-3-Clause
// [hello]
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <boost/mpi.hpp>
#include <boost/multi_array.hpp>
#include <iostream>
namespace io = argosy;

int main() {
  boost::mpi::environment environment;
  boost::mpi::communicator world;
  // this rank's 20 x 20 x 20 values, in a halo
  boost::multi_array<double, 3> u(boost::extents[22][22][22]);
  // In the file: one array without halos, dealt out in blocks along its second dimension.
  io::darray<double, 3> tile({20, 20 * world.size(), 20}, io::distribute::block,
                             {1, world.size(), 1}, world.rank());
  auto f =
      io::file::open(world, "hello.dat", io::mode::create | io::mode::truncate | io::mode::write);
  f.set_view(0, tile);
  io::report r = f.write_all(io::interior(u, {1, 1, 1}));  // throws on every rank or on none
  f.close();
  if (world.rank() == 0) std::cout << io::to_string(r) << "\n";
}
// [hello]
