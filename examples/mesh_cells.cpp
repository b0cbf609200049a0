// Cells of an irregular mesh: each rank has the cells with the numbers that a partitioner assigned
// to it. The file has all cells, in the order of their numbers.
// Run: mpiexec -n 4 build/release/bin/mesh_cells
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

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
  constexpr std::int64_t cells = 1000;
  std::vector<std::int64_t>
      mine;  // increasing, because the offsets of a filetype must not decrease
  for (std::int64_t cell = 0; cell < cells; ++cell)
    if (cell * 7919 / 13 % world.size() == world.rank()) mine.push_back(cell);
  std::vector<double> pressure;
  for (std::int64_t const cell : mine) pressure.push_back(0.5 * static_cast<double>(cell));

  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "mesh_cells.dat", temporary);
  // The extent is that of the whole field, so a second write_all would write the next field, or the
  // next step.
  f.set_view(0, io::resized(io::indexed_block(1, mine, io::type<double>), 0, 8 * cells));
  io::report const r = f.write_all(pressure);

  std::vector<double> all(cells);
  f.set_view(0, io::type<double>);
  f.read_at_all(0, all);
  bool well = r.bytes == 8 * static_cast<std::int64_t>(mine.size());
  for (std::size_t cell = 0; cell < all.size(); ++cell)
    well = well && all[cell] == 0.5 * static_cast<double>(cell);
  f.close();
  if (world.rank() == 0)
    std::cout << mine.size() << " of " << cells << " cells are rank 0's\n"
              << io::to_string(r) << "\n";
  return well ? 0 : 1;
}
