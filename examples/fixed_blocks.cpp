// Blocks of a fixed size with a halo, each behind a pointer. A rank writes each block when it has
// computed it. All sizes are in the types, so the compiler makes the loops that copy inner cells.
// Run: mpiexec -n 4 build/release/bin/fixed_blocks
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/layout.hpp>

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
  double u[side][side][side] = {};
};

constexpr auto in_block = io::constant<inner>;
constexpr auto with_halo = io::constant<side>;
constexpr auto halo = io::constant<1>;
// In memory: the inner cells of one block. In the file: its 512 numbers, one behind the other.
constexpr auto inside =
    io::subarray(io::list(with_halo, with_halo, with_halo), io::list(in_block, in_block, in_block),
                 io::list(halo, halo, halo), io::type<double>);
constexpr auto cells = io::contiguous(io::constant<inner * inner * inner>, io::type<double>);
static_assert(io::flatten(inside).pieces() == inner * inner);

void compute(block& b) {
  for (auto& plane : b.u)
    for (auto& row : plane)
      for (double& cell : row) cell = 0.5 * static_cast<double>(b.number);
}

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  constexpr std::int64_t all_blocks = 60;
  std::vector<std::unique_ptr<block>> blocks;
  for (std::int64_t n = 0; n < all_blocks; ++n)
    if (n * 7919 / 13 % world.size() == world.rank()) {
      blocks.push_back(std::make_unique<block>());
      blocks.back()->number = n;
    }

  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "fixed_blocks.dat", temporary);
  f.set_view(0, {cells, cells});  // offsets count blocks
  std::int64_t calls = 0;
  for (auto const& b : blocks) {
    compute(*b);
    calls += f.write_at(b->number, {b->u, inside}).write_calls;  // one call of the file
  }
  f.sync();  // other ranks may now read the blocks

  // Reads each block of another rank. The halo does not change.
  bool well = calls == static_cast<std::int64_t>(blocks.size());
  for (auto const& b : blocks) {
    block other;
    std::int64_t const next = (b->number + 1) % all_blocks;
    f.read_at(next, {other.u, inside});
    well = well && other.u[1][1][1] == 0.5 * static_cast<double>(next) &&
           other.u[inner][inner][inner] == other.u[1][1][1] && other.u[0][1][1] == 0 &&
           other.u[inner][inner][side - 1] == 0;
  }
  f.close();
  if (world.rank() == 0) std::cout << calls << " of " << all_blocks << " blocks are rank 0's\n";
  return well ? 0 : 1;
}
