// My code on 4,096 ranks, on this machine: the function that also runs under MPI, on a virtual
// cluster.
// Run: build/release/bin/many_ranks [ranks]
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy.hpp>

#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

namespace io = argosy;

// Each rank has every size-th double. Under MPI: save(io::mpi(world), io::posix_opener(), policy).
template <io::communicator World>
void save(World const& world, io::opener files, io::extend::any_policy policy) {
  std::vector<double> const u(16, world.rank());
  auto f =
      io::basic_file<World>::open(world, "state", io::mode::create | io::mode::write, {}, files);
  f.set_view(8 * world.rank(), io::resized(io::type<double>, 0, 8 * world.size()));
  f.write_all(u, policy);
  f.close();
}

int main(int argc, char** argv) {
  int const ranks = argc > 1 ? std::stoi(argv[1]) : 4096;
  for (io::extend::any_policy const& policy :
       {io::extend::any_policy(io::independent()), io::extend::any_policy(io::two_phase())}) {
    io::lab::virtual_files files;  // in memory
    io::lab::virtual_cluster const cluster({.ranks = ranks, .ranks_per_node = 64});
    io::lab::virtual_report const r = cluster.run(
        [&](io::lab::virtual_rank const& world) { save(world, files.opener(), policy); });
    // Seconds of a model of network and disk: useful for comparisons, not for predictions.
    std::cout << policy.name() << ": " << r.seconds << " virtual s, " << r.file_calls
              << " calls of the file, " << r.messages << " messages\n";
    if (files.content("state").size() != std::size_t{128} * static_cast<std::size_t>(ranks))
      return 1;
  }
}
