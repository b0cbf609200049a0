// Step 8 of docs/use/tutorial.md: all frames in one file, for ParaView.
// Run: mpiexec -n 4 build/release/bin/heat8
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/vtkhdf.hpp>

#include <boost/mpi/environment.hpp>

#include "slabs.hpp"

// [heat8]
int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  constexpr double h = 1.0 / (side - 1);
  int t = 0;
  field u = slab_of(world);
  heat_up(u);
  auto film = io::vtkhdf::image_data({.points = {side, side, side}, .spacing = {h, h, h}});
  film.add_point_data("temperature", tile_of(world), io::interior(u, {1, 1, 1}));
  film.add_field_data("step", t);
  film.begin_steps(world, "heat8.vtkhdf", 0.0);
  while (t < 100) {
    exchange(world, u);
    step(u);
    if (++t % 20 == 0) film.append_step(world, "heat8.vtkhdf", 0.1 * t);
  }
}
// [heat8]
