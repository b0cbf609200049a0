// Blocks of a refined mesh, each in memory of its own: each rank has the blocks with the numbers
// assigned to it, with a halo. The file has the inner cells of all blocks, in the order of their
// numbers.
// Run: mpiexec -n 4 build/release/bin/blocks
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

namespace io = argosy;

constexpr std::int64_t inner = 8, side = inner + 2;  // a halo of one layer

struct block {
  std::int64_t number = 0;
  double u[side][side] = {};
};

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  constexpr std::int64_t all_blocks = 60, cells = inner * inner;

  std::vector<std::unique_ptr<block>> blocks;
  // increasing, because the offsets of a filetype must not decrease
  std::vector<std::int64_t> numbers;
  for (std::int64_t n = 0; n < all_blocks; ++n) {
    if (n * 7919 / 13 % world.size() != world.rank()) continue;
    numbers.push_back(n);
    blocks.push_back(std::make_unique<block>());
    blocks.back()->number = n;
    for (auto& row : blocks.back()->u)
      for (double& cell : row) cell = 0.5 * static_cast<double>(n);
  }

  // In memory, the inner cells of the array of one block, behind each pointer. In the file, 64
  // numbers at the place of each block.
  auto const inside = io::subarray({side, side}, {inner, inner}, {1, 1}, io::type<double>);
  auto const of_block = io::record(io::member(&block::u, inside));
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "blocks.dat", temporary);
  auto const places = io::indexed_block(1, numbers, io::contiguous(cells, io::type<double>));
  f.set_view(0, {io::type<double>, io::resized(places, 0, 8 * cells * all_blocks)});
  io::report const r = f.write_all({blocks, of_block});

  // Reads into other blocks. Their halo does not change.
  std::vector<std::unique_ptr<block>> again;
  for (std::size_t i = 0; i < blocks.size(); ++i) again.push_back(std::make_unique<block>());
  f.read_at_all(0, {again, of_block});
  bool well = true;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::int64_t y = 0; y < side; ++y)
      for (std::int64_t x = 0; x < side; ++x) {
        bool const in_halo = y == 0 || x == 0 || y == side - 1 || x == side - 1;
        well = well && again[i]->u[y][x] == (in_halo ? 0 : blocks[i]->u[y][x]);
      }
  std::vector<double> file(static_cast<std::size_t>(cells * all_blocks));
  f.set_view(0, io::type<double>);
  f.read_at_all(0, file);
  for (std::size_t i = 0; i < file.size(); ++i)
    well = well && file[i] == 0.5 * static_cast<double>(i / static_cast<std::size_t>(cells));
  f.close();
  if (world.rank() == 0)
    std::cout << blocks.size() << " of " << all_blocks << " blocks are rank 0's\n"
              << io::to_string(r) << "\n";
  return well ? 0 : 1;
}
