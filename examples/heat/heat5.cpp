// Step 5 of docs/use/tutorial.md: a series of files that ParaView shows as a film.
// Run: mpiexec -n 4 build/release/bin/heat5
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/npy.hpp>
#include <argosy/format/xdmf.hpp>

#include <boost/mpi/environment.hpp>

#include <string>

#include "slabs.hpp"

// [heat5]
int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  constexpr double h = 1.0 / (side - 1);
  field u = slab_of(world);
  heat_up(u);
  io::xdmf film({.points = {side, side, side}, .spacing = {h, h, h}});
  for (int t = 0; t <= 100; ++t) {
    if (t % 20 == 0) {
      std::string const name = "heat5_" + std::to_string(t) + ".npy";
      auto f = io::npy::create(world, name, tile_of(world));
      f.write_all(io::interior(u, {1, 1, 1}));
      f.close();
      film.add(0.1 * t, "temperature", name, f.header());
      film.save(world, "heat5.xdmf");  // ParaView may open it at any time
    }
    exchange(world, u);
    step(u);
  }
}
// [heat5]
