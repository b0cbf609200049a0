// Particles, another number on each rank, of which only some members are saved, one behind the other in one file.
// Run: mpiexec -n 4 build/release/bin/particles
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/collectives/scan.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdint>
#include <functional>
#include <iostream>
#include <vector>

namespace io = argosy;

struct particle {
  double x[3];
  double scratch[5];  // of no use to anybody later
  std::int64_t id;
};
template <>
struct argosy::describe<particle> : argosy::members<&particle::x, &particle::id> {};  // 32 of 72 bytes

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  std::int64_t const mine = 100 + 10 * world.rank();
  std::int64_t const behind = boost::mpi::scan(world, mine, std::plus<>());  // the particles up to and with this rank's
  std::int64_t const first = behind - mine;
  std::vector<particle> particles;
  for (std::int64_t id = first; id < behind; ++id)
    particles.push_back({{static_cast<double>(id), 0.5, 1.5}, {1, 2, 3, 4, 5}, id});

  // In the file: x and id without gaps, 32 bytes. numpy.dtype([('x', '<f8', 3), ('id', '<i8')]) reads it.
  auto const saved = io::record(io::member(0, io::type<double>, 3), io::member(24, io::type<std::int64_t>));
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "particles.dat", temporary);
  f.set_view(saved.form().extent() * first, io::type<std::byte>);
  io::report const r = f.write_all(particles);

  std::vector<particle> back(particles.size());
  f.read_at_all(0, back);  // fills x and id, and leaves the rest
  bool well = r.bytes == 32 * mine;
  for (std::size_t i = 0; i < back.size(); ++i)
    well = well && back[i].id == particles[i].id && back[i].x[0] == particles[i].x[0] && back[i].scratch[1] == 0;
  if (world.rank() == 0) std::cout << f.size() / 32 << " particles in " << f.size() << " bytes\n";
  world.barrier();
  f.close();
  return well ? 0 : 1;
}
