// Step 6 of docs/use/tutorial.md: the state of the checkpoint after a disk fails, on virtual ranks.
// Run: build/release/bin/heat6
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/any_world.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include <cstdint>
#include <iostream>

#include "heat.hpp"

namespace io = argosy;

// [heat_save]
// The lines of step 4 that save, for any ranks and any files.
template <io::communicator World>
void save(World const& world, int t, field& u, io::opener files) {
  io::darray<double, 3> const tile({side, side, side}, io::distribute::block, {world.size(), 1, 1},
                                   world.rank());
  io::basic_checkpoint<World> state;
  state.add_value("t", t).add("u", tile, io::interior(u, {1, 1, 1}));
  state.save(world, "heat.checkpoint", {}, files);
}
// [heat_save]

// [heat6]
int main() {
  constexpr int ranks = 8;
  using rank = io::lab::virtual_rank;
  auto const slab = [](rank const& world) {
    return field{{side / ranks, side, side}, {side / ranks * world.rank(), 0, 0}};
  };
  for (std::int64_t k = 1; k <= 2; ++k) {
    io::lab::virtual_files files;
    io::lab::virtual_cluster({.ranks = ranks}).run([&](rank const& world) {  // without a fault
      field u = slab(world);
      save(world, 25, u, files.opener());
    });
    io::lab::scenario s{.ranks = ranks, .ranks_per_node = 2};
    s.faults.push_back(
        {.rank = 0, .what = io::fail_at(io::file_call::write, k, std::errc::no_space_on_device)});
    int informed = 0;
    io::lab::virtual_cluster(s).run([&](rank const& world) {  // the k-th write of rank 0 fails
      field u = slab(world);
      try {
        save(world, 50, u, files.opener());
      } catch (io::error const&) {
        ++informed;
      }
    });
    // either all ranks get the error, or no rank needs to
    if (informed != 0 && informed != ranks) return 1;
    int found = 0;
    io::basic_checkpoint<io::self> left;
    left.add_value("t", found).load(io::self(), "heat.checkpoint", {}, files.opener());
    std::cout << "write " << k << " of rank 0: " << informed << " ranks were told; found is step "
              << found << "\n";
    if (found != (informed > 0 ? 25 : 50)) return 1;  // the old checkpoint or the new one
  }
}
// [heat6]
