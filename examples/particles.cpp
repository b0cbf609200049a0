// Particles, a different number on each rank, of which only some members are saved: a header, then
// all particles in the order of the ranks. They are read again in equal parts.
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
  double scratch[5];  // not needed later
  std::int64_t id;
};
// 32 of 72 bytes
io::members<&particle::x, &particle::id> describe(particle const&);

constexpr std::int64_t header_bytes = 64;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  std::int64_t const rank = world.rank(), ranks = world.size();
  std::int64_t const mine = rank == 1 ? 0 : 100 + 10 * rank;  // rank 1 has none
  // the number of particles up to and with this rank's
  std::int64_t const behind = boost::mpi::scan(world, mine, std::plus<>());
  std::int64_t const first = behind - mine;
  std::vector<particle> particles;
  for (std::int64_t id = first; id < behind; ++id)
    particles.push_back({{static_cast<double>(id), 0.5, 1.5}, {1, 2, 3, 4, 5}, id});

  // In the file: x and id without gaps, 32 bytes. numpy.dtype([('x', '<f8', 3), ('id', '<i8')])
  // reads it.
  auto const saved =
      io::record(io::member(0, io::type<double>, 3), io::member(24, io::type<std::int64_t>));
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "particles.dat", temporary);
  // The header is the number of particles, which the last rank has. Other ranks take part without
  // data.
  f.write_at_all(0, rank == ranks - 1 ? io::source(behind) : io::source());
  f.set_view(header_bytes, {saved, saved});  // offsets count particles
  io::report const r = f.write_at_all(first, particles);

  // The reading ranks share the particles evenly, for any number of ranks.
  std::int64_t all = 0;
  f.set_view(0, io::type<std::int64_t>);
  f.read_at_all(0, all);
  std::int64_t const from = all * rank / ranks, to = all * (rank + 1) / ranks;
  std::vector<particle> back(static_cast<std::size_t>(to - from));
  f.set_view(header_bytes, {saved, saved});
  f.read_at_all(from, back);  // fills x and id, and does not change the other members
  bool well = r.bytes == 32 * mine;
  for (std::int64_t id = from; particle const& p : back) {
    well = well && p.id == id && p.x[0] == static_cast<double>(id) && p.scratch[1] == 0;
    ++id;
  }
  if (rank == 0) std::cout << all << " particles in " << f.size() << " bytes\n";
  world.barrier();
  f.close();
  return well ? 0 : 1;
}
