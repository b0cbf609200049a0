// The shared pointer: a log into which ranks write in any order, then results in the order of
// ranks. No rank computes offsets.
// Run: mpiexec -n 4 build/release/bin/shared_log
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <fstream>
#include <iostream>
#include <set>
#include <string>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  auto f = io::file::open(world, "shared_log.txt", io::mode::create | io::mode::write);
  f.set_size(0);  // opening does not truncate

  for (int k = 0; k <= world.rank(); ++k) {  // any number of lines, each of any length
    std::string const event =
        "rank " + std::to_string(world.rank()) + " event " + std::to_string(k) + "\n";
    f.write_shared(event);
  }
  // Collective: writes rank 0's line, then rank 1's, and so on. Because of the barrier, all events
  // come before the results.
  world.barrier();
  std::string const result = "rank " + std::to_string(world.rank()) + " done\n";
  f.write_ordered(result);
  f.close();

  if (world.rank() != 0) return 0;
  std::multiset<std::string> events;
  std::string all, line;
  for (std::ifstream in("shared_log.txt"); std::getline(in, line);)
    if (line.ends_with("done"))
      all += line + "\n";
    else
      events.insert(line);
  std::string hoped;
  for (int r = 0; r < world.size(); ++r) hoped += "rank " + std::to_string(r) + " done\n";
  std::cout << events.size() << " events in any order, then\n" << all;
  return all == hoped && static_cast<int>(events.size()) == world.size() * (world.size() + 1) / 2
             ? 0
             : 1;
}
