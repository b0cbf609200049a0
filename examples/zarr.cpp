// A compressed Zarr array, written by all ranks, for zarr-python and xarray:
//
//   import zarr
//   u = zarr.open_array("zarr_example/u")
//
// Run: mpiexec -n 4 build/release/bin/zarr
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/zarr.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  std::int64_t const ny = 60, nx = 25 * world.size();
  // Each rank has 25 columns. They cut the shards, which are 64 columns wide.
  io::darray<double, 2> const tile({ny, nx}, io::distribute::block, {1, world.size()},
                                   world.rank());
  std::vector<double> u;
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < 25; ++x)
      u.push_back(static_cast<double>(y) + 0.001 * static_cast<double>(25 * world.rank() + x));

  io::zarr_options how{.chunks = {30, 16}, .shards = {30, 64}, .dimension_names = {"y", "x"}};
  if (io::zarr_codec::zstd().is_available()) how.codecs = {io::zarr_codec::zstd()};
  io::zarr::create_group(world, "zarr_example", R"({"title": "an example"})");
  auto z = io::zarr::create(world, "zarr_example/u", tile, how);
  z.write_all(u);
  z.close();

  // Each rank reads rows.
  io::darray<double, 2> const rows({ny, nx}, io::distribute::block, {world.size(), 1},
                                   world.rank());
  std::vector<double> back(static_cast<std::size_t>(io::array_part(rows).elements()));
  z = io::zarr::open(world, "zarr_example/u", rows);
  z.read_all(back);
  z.close();
  std::int64_t const first = (ny + world.size() - 1) / world.size() * world.rank();
  bool well = true;
  for (std::size_t i = 0; i < back.size(); ++i) {
    auto const at = static_cast<std::int64_t>(i);
    well = well &&
           back[i] == static_cast<double>(first + at / nx) + 0.001 * static_cast<double>(at % nx);
  }
  if (world.rank() == 0) std::cout << "zarr_example/u: " << to_string(z.header()) << "\n";
  return well ? 0 : 1;
}
