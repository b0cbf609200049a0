// Restart on another number of ranks: all ranks write an array, and half of them read it, in tiles
// of another shape. For a whole checkpoint, with header and halos, see checkpoint.cpp.
// Run: mpiexec -n 4 build/release/bin/restart
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/layout/pack.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

namespace io = argosy;

constexpr std::int64_t rows = 30, columns = 20;

// Returns a rank's part of the array. It depends only on the number of ranks, because the file
// holds the array whichever ranks wrote it.
io::darray<double, 2> tile_of(boost::mpi::communicator const& ranks) {
  return {{rows, columns}, io::distribute::block, io::process_grid(ranks.size(), 2), ranks.rank()};
}
std::vector<double> room_for(io::darray<double, 2> const& tile) {
  return std::vector<double>(static_cast<std::size_t>(tile.form().size()) / sizeof(double));
}

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  {
    std::vector<double> whole(rows * columns);  // each value is its place in the array
    std::iota(whole.begin(), whole.end(), 0);
    std::vector<double> u = room_for(tile_of(world));
    io::pack(tile_of(world).form(), whole.data(), u.data());
    auto f = io::file::open(world, "restart.dat", io::mode::create | io::mode::write);
    f.set_view(0, tile_of(world));
    f.write_all(u);
    f.sync();  // on disk before any program relies on it
    f.close();
  }
  bool const stays = world.rank() < (world.size() + 1) / 2;
  boost::mpi::communicator const fewer = world.split(stays ? 0 : 1);
  if (!stays) return 0;
  std::vector<double> u = room_for(tile_of(fewer));
  auto f = io::file::open(fewer, "restart.dat", io::mode::read);
  f.set_view(0, tile_of(fewer));
  io::report const r = f.read_all(u);
  f.close();
  std::vector<double> whole(rows * columns, -1);
  io::unpack(tile_of(fewer).form(), u.data(), whole.data());
  bool well = r.bytes == tile_of(fewer).form().size();
  for (std::size_t i = 0; i < whole.size(); ++i)
    well = well && (whole[i] == -1 || whole[i] == static_cast<double>(i));
  if (fewer.rank() == 0)
    std::cout << "written by " << world.size() << " ranks, read by " << fewer.size() << "\n";
  return well ? 0 : 1;
}
