// Step 4 of docs/use/tutorial.md: stops, and continues at the step where it stopped, on any number
// of processes.
// Run: mpiexec -n 4 build/release/bin/heat4 50 && mpiexec -n 3 build/release/bin/heat4 100
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/npy.hpp>

#include <boost/mpi/environment.hpp>

#include <cstdlib>
#include <iostream>
#include <system_error>

#include "slabs.hpp"

// [heat4]
int main(int argc, char** argv) {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  int const last = argc > 1 ? std::atoi(argv[1]) : 100;
  int t = 0;
  field u = slab_of(world);

  io::checkpoint state;  // lists once the data to save and to load
  state.add_value("t", t).add("u", tile_of(world), io::interior(u, {1, 1, 1}));
  std::error_code error;
  state.load(world, "heat4.checkpoint", error);
  if (error == io::errc::no_such_file) {
    heat_up(u);  // the first run
  } else if (error) {
    if (world.rank() == 0) std::cerr << state.what_failed() << "\n";
    return 1;  // on all ranks or on none
  }
  if (world.rank() == 0) std::cout << "from step " << t << " on\n";

  while (t < last) {
    exchange(world, u);
    step(u);
    if (++t % 25 == 0) state.save(world, "heat4.checkpoint");
  }
  auto f = io::npy::create(world, "heat4.npy", tile_of(world));
  f.write_all(io::interior(u, {1, 1, 1}));
  f.close();
}
// [heat4]
