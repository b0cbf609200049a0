// An array like std::mdspan, stored column by column. The file gets its rows, and no copy is made.
// The program does not convert anything. std::mdspan, Kokkos::View and boost::multi_array work in
// the same way, because io::memory recognises them by their members.
// Run: mpiexec -n 4 build/release/bin/mdspan
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <array>
#include <cstddef>
#include <iostream>
#include <vector>

namespace io = argosy;

// A matrix as Fortran stores it: the first index runs fastest.
struct matrix {
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t d) const { return extents[d]; }
  std::size_t stride(std::size_t d) const { return d == 0 ? 1 : extents[0]; }
  double* data_handle() const { return first; }
  double& operator()(std::size_t i, std::size_t j) const { return first[i + j * extents[0]]; }

  double* first;
  std::array<std::size_t, 2> extents;
};
static_assert(io::extend::mdspan_like<matrix>);

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  auto const rank = static_cast<std::size_t>(world.rank());

  // 5 rows of 8 values on each rank. In the file the rows of all ranks follow one another.
  std::vector<double> values(40), back_values(40);
  matrix const u{values.data(), {5, 8}}, back{back_values.data(), {5, 8}};
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 8; ++j) u(i, j) = static_cast<double>(100 * (5 * rank + i) + j);

  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "mdspan.dat", temporary);
  f.set_view(320 * world.rank(), io::type<double>);
  f.write_all(u);                      // in the order of its indices, not of its memory
  f.read_at_all(0, io::memory(back));  // into any other array of 5 x 8
  std::array<double, 3> some{};
  f.read_at_all(8 + 1, some);  // row 1, from column 1 on
  bool const well = back_values == values && some[0] == u(1, 1) && some[2] == u(1, 3);
  f.close();
  if (rank == 0)
    std::cout << "row 1 in the file: ..., " << some[0] << ", " << some[1] << ", " << some[2]
              << ", ...\n";
  return well ? 0 : 1;
}
