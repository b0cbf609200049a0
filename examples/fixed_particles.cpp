// Bunches of particles, of which some members are recorded in every step. The compiler knows the
// members and their places, so no call describes them anew.
// Run: mpiexec -n 4 build/release/bin/fixed_particles
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <array>
#include <cstdint>
#include <iostream>

namespace io = argosy;

struct particle {
  double x[3] = {};
  double velocity[3] = {};  // not recorded
  std::int64_t id = 0;
  int cell = 0;  // not recorded
};
constexpr std::int64_t bunch_size = 128;
using bunch = std::array<particle, bunch_size>;

// 32 of 64 bytes of each particle in memory. In the file they have no gaps.
constexpr io::members<&particle::x, &particle::id> recorded;
constexpr auto in_file = io::record(io::member(io::constant<0>, io::type<double>, io::constant<3>),
                                    io::member(io::constant<24>, io::type<std::int64_t>));

void push(bunch& all) {
  for (particle& p : all)
    for (int d = 0; d < 3; ++d) p.x[d] += p.velocity[d];
}

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  constexpr std::int64_t steps = 10;
  bunch mine;
  for (std::int64_t id = bunch_size * world.rank(); particle & p : mine) {
    p.id = id++;
    p.velocity[0] = static_cast<double>(world.rank() + 1);
  }

  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "fixed_particles.dat", temporary);
  f.set_view(0, {in_file, in_file});  // offsets count particles
  std::int64_t const in_a_step = bunch_size * world.size();
  std::int64_t calls = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    push(mine);
    std::int64_t const at = step * in_a_step + bunch_size * world.rank();
    calls += f.write_at(at, {mine, recorded}).write_calls;  // one call of the file
  }
  f.sync();  // other ranks may now read the steps

  // Reads the last step of the next rank. Members that are not recorded do not change.
  int const next = (world.rank() + 1) % world.size();
  bunch other;
  f.read_at((steps - 1) * in_a_step + bunch_size * next, {other, recorded});
  bool well = calls == steps;
  for (std::int64_t id = bunch_size * next; particle const& p : other)
    well = well && p.id == id++ && p.x[0] == static_cast<double>(steps * (next + 1)) &&
           p.velocity[0] == 0;
  if (world.rank() == 0)
    std::cout << steps << " steps of " << in_a_step << " particles in " << f.size() << " bytes\n";
  f.close();
  return well ? 0 : 1;
}
