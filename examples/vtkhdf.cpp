// Particles that move, in a VTKHDF file: open particles.vtkhdf in ParaView, and play.
// Run: mpiexec -n 4 build/release/bin/vtkhdf
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/vtkhdf.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cmath>
#include <iostream>
#include <vector>

namespace io = argosy;

struct particle {
  double x[3];
  float speed;
};
io::members<&particle::x, &particle::speed> describe(particle const&);

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  std::vector<particle> mine;
  auto particles = io::vtkhdf::poly_data(mine, io::members<&particle::x>{});
  particles.add_point_data("speed", mine, io::members<&particle::speed>{});
  for (int step = 0; step < 20; ++step) {
    mine.clear();
    for (int i = 0; i <= 10 * world.rank() + step; ++i) {  // there are more in each step
      double const angle = 0.1 * step + 0.3 * i, radius = 1 + world.rank();
      mine.push_back({{radius * std::cos(angle), radius * std::sin(angle), 0.02 * i},
                      static_cast<float>(0.1 * radius)});
    }
    if (step == 0)
      particles.begin_steps(world, "particles.vtkhdf", 0);
    else
      particles.append_step(world, "particles.vtkhdf", 0.1 * step);
  }
  auto const content = io::hdf5::content_of(world, "particles.vtkhdf");
  auto const steps = content.find("VTKHDF/Steps/Values")->shape[0];
  if (world.rank() == 0) std::cout << "particles.vtkhdf: " << steps << " steps\n";
  return steps == 20 ? 0 : 1;
}
