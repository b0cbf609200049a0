// Appends a time step: each run opens the file of the last run and adds a step to it. The filetype
// repeats, so the program counts no bytes.
// Run: mpiexec -n 4 build/release/bin/append_step
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <vector>

namespace io = argosy;

constexpr std::int64_t side = 16, step_bytes = side * side * 8;

// Returns the number of the step that was added.
std::int64_t append(boost::mpi::communicator const& world) {
  io::darray<double, 2> const tile({side, side}, io::distribute::block,
                                   io::process_grid(world.size(), 2), world.rank());
  auto f = io::file::open(world, "append_step.dat", io::mode::create | io::mode::write);
  // Complete steps only: half of a step, left by a crash, is overwritten.
  std::int64_t const step = f.size() / step_bytes;
  // `size` is local, so all ranks must have called it before any rank writes.
  world.barrier();
  f.set_view(0, tile);
  // This rank's values in a step. Offsets count them.
  std::int64_t const mine = tile.form().size() / 8;
  std::vector<double> const u(static_cast<std::size_t>(mine), static_cast<double>(step));
  f.write_at_all(step * mine, u);
  f.close();
  return step;
}

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  if (world.rank() == 0) std::filesystem::remove("append_step.dat");
  world.barrier();
  for (int run = 0; run < 3; ++run)
    if (append(world) != run) return 1;

  auto f = io::file::open(world, "append_step.dat", io::mode::read);
  std::vector<double> last(side * side);
  f.read_at_all(2 * step_bytes, last);  // offsets are bytes until a view is set
  bool const well = f.size() == 3 * step_bytes && last == std::vector<double>(side * side, 2);
  f.close();
  if (world.rank() == 0) std::cout << "3 runs, 3 steps of " << step_bytes << " bytes\n";
  return well ? 0 : 1;
}
