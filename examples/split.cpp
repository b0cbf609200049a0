// A split collective call: all ranks begin to write a step together, compute the next step, and end
// the call.
// Run: mpiexec -n 4 build/release/bin/split
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "split.dat", temporary);
  // The file: steps of n x size values; value j of a step belongs to rank j % size.
  constexpr std::int64_t n = 1000;
  f.set_view(0, io::darray<double, 1>({n * world.size()}, {io::distribute::cyclic}, {world.size()},
                                      world.rank()));

  auto const compute = [&](std::vector<double>& u, int step) {
    std::fill(u.begin(), u.end(), 100 * step + world.rank());
  };
  // two buffers: one is written while the other is computed
  std::vector<double> now(n), next(n);
  compute(now, 0);
  for (int step = 0; step < 5; ++step) {
    f.begin_write_all(now);  // one split call at a time on a file
    compute(next, step + 1);
    f.end();  // also collective; waits for this step, and throws if it failed on any rank
    std::swap(now, next);
  }

  std::vector<double> back(n);
  f.read_at_all(3 * n, back);  // step 3: offsets count this rank's values
  bool const well =
      f.size() == 5 * 8 * n * world.size() && back == std::vector<double>(n, 300 + world.rank());
  f.close();
  if (world.rank() == 0) std::cout << "5 steps written, each while the next was computed\n";
  return well ? 0 : 1;
}
