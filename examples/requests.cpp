// Requests: several writes in the background while the program computes, and one wait for all of
// them.
// Run: mpiexec -n 4 build/release/bin/requests
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "requests.dat", temporary);
  f.set_view(0, io::type<double>);

  // Three fields of this rank, in three places of the file. Their memory must not change, and must
  // live, until the wait.
  constexpr std::int64_t n = 10000;
  std::vector<std::vector<double>> fields;
  for (int k = 0; k < 3; ++k) fields.emplace_back(n, 10 * world.rank() + k);
  std::vector<io::request> pending;
  for (std::int64_t k = 0; k < 3; ++k)
    pending.push_back(
        f.iwrite_at((k * world.size() + world.rank()) * n, fields[static_cast<std::size_t>(k)]));

  std::int64_t computed = 0;
  do ++computed;  // A program would compute here. Requests advance without its help.
  while (!pending.front().test());
  io::wait_all(pending);  // throws the errors of these calls

  world.barrier();
  std::vector<double> back(n);
  io::request r = f.iread_at((world.size() + world.rank()) * n, back);
  bool const well = r.wait().bytes == 8 * n && back == fields[1];
  f.close();
  if (world.rank() == 0)
    std::cout << "3 fields of " << world.size() << " ranks written in the background\n";
  return well ? 0 : 1;
}
