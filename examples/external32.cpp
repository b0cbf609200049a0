// A file that every machine can read: external32 is MPI's portable representation, big-endian with
// fixed sizes.
// Run: mpiexec -n 4 build/release/bin/external32
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  std::vector<std::int32_t> const u{world.rank() + 1, 0x01020304};

  auto f = io::file::open(world, "external32.dat", io::mode::create | io::mode::read_write);
  // The etype tells argosy how to convert. Each rank has two adjacent ints.
  f.set_view(8 * world.rank(), {io::type<std::int32_t>, io::external32});
  f.write_all(u);
  std::vector<std::int32_t> back(2);
  f.read_at_all(0, back);
  f.close();

  bool well = back == u;
  if (world.rank() == 0) {
    unsigned char raw[8] = {};
    std::ifstream("external32.dat", std::ios::binary).read(reinterpret_cast<char*>(raw), 8);
    // numpy: numpy.fromfile("external32.dat", ">i4")
    well = well && raw[3] == 1 && raw[4] == 1 && raw[7] == 4;
    std::cout << "the int 0x01020304 is in the file as";
    for (int i = 4; i < 8; ++i) std::cout << " 0" << int{raw[i]};
    std::cout << "\n";
  }
  return well ? 0 : 1;
}
