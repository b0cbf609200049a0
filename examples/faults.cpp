// Tries what a program does when a call of the file fails on one rank. Runs it on a virtual
// cluster, for every rank and four calls. Run: build/release/bin/faults
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include <cstdint>
#include <iostream>
#include <system_error>
#include <vector>

namespace io = argosy;

// The program, for any world and any files. Under MPI: save(io::mpi(world), io::posix_opener()).
template <io::communicator World>
bool save(World const& world, io::opener files) {
  std::vector<double> const u(1000, world.rank());
  std::error_code error;
  auto f =
      io::basic_file<World>::open(world, "state", io::mode::create | io::mode::write, error, files);
  if (error) return false;
  f.set_view(0, io::darray<double, 1>({1000 * world.size()}, {io::distribute::cyclic(50)},
                                      {world.size()}, world.rank()));
  f.write_all(u, error);
  if (!error) f.sync(error);
  std::error_code closing;
  f.close(closing);
  return !error && !closing;
}

int main() {
  int runs = 0, failed = 0;
  for (io::file_call call :
       {io::file_call::open, io::file_call::write, io::file_call::sync, io::file_call::close})
    for (int rank = 0; rank < 16; ++rank) {  // the first such call of this rank fails
      io::lab::scenario s{.ranks = 16, .ranks_per_node = 4, .seed = 1};
      s.faults.push_back(
          {.rank = rank, .what = io::fail_at(call, 1, std::errc::no_space_on_device)});
      io::lab::virtual_files files;
      int safe = 0;  // ranks whose save returned success
      io::lab::virtual_cluster(s).run(
          [&](io::lab::virtual_rank const& world) { safe += save(world, files.opener()); });
      if (safe != 0 && safe != 16) {
        // parse_scenario makes this scenario from the text
        std::cout << "only some ranks know: " << to_string(s) << "\n";
        return 1;
      }
      if (safe == 16 && files.content("state").size() != 16 * 8000) return 1;
      ++runs;
      failed += safe == 0;
    }
  std::cout << failed << " of " << runs << " runs met the fault, and every rank knew of it\n";
  // faults of ranks that do not write the file themselves have no effect
  return failed > 16 && failed < runs ? 0 : 1;
}
