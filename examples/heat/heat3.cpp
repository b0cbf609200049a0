// Step 3 of docs/use/tutorial.md: many processes, one file.
// Run: mpiexec -n 4 build/release/bin/heat3
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/npy.hpp>

#include <boost/mpi/environment.hpp>

#include "slabs.hpp"

// [heat3]
int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  field u = slab_of(world);
  heat_up(u);
  for (int t = 0; t < 100; ++t) {
    exchange(world, u);
    step(u);
  }
  auto f = io::npy::create(world, "heat3.npy", tile_of(world));
  f.write_all(io::interior(u, {1, 1, 1}));
  f.close();
}
// [heat3]
