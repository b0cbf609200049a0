// Step 7 of docs/use/tutorial.md: all steps in one compressed array, for zarr-python and xarray.
// Run: mpiexec -n 4 build/release/bin/heat7
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/zarr.hpp>

#include <boost/mpi/environment.hpp>

#include <iostream>
#include <utility>
#include <vector>

#include "slabs.hpp"

// [heat7]
int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  field u = slab_of(world);
  heat_up(u);
  auto const slab_at = [&](std::int64_t frame) {  // this rank's part of one frame
    return io::subarray({frame + 1, side, side, side}, {1, u.size[0], side, side},
                        {frame, u.start[0], 0, 0}, io::type<double>);
  };
  io::zarr_options how{.chunks = {1, 8, side, side},
                       .dimension_names = {"time", "z", "y", "x"},
                       .attributes = R"({"units": "degrees"})"};
  if (io::zarr_codec::zstd().is_available()) how.codecs = {io::zarr_codec::zstd()};
  io::zarr::create_group(world, "heat7.zarr", R"({"title": "a cube that cools"})");
  auto z = io::zarr::create(world, "heat7.zarr/temperature", slab_at(0), how);
  for (int t = 0; t <= 100; ++t) {
    if (t > 0 && t % 20 == 0) z.grow(slab_at(t / 20));
    if (t % 20 == 0) z.write_all(io::interior(u, {1, 1, 1}));
    if (t == 100) break;
    exchange(world, u);
    step(u);
  }
  z.close();
  io::zarr::consolidate(world, "heat7.zarr");
  io::zarr_group const run = io::zarr::group_of(world, "heat7.zarr");
  if (world.rank() == 0) std::cout << to_string(run);
}
// [heat7]
