// An existing MPI_Datatype of the program, as the view of a file and in memory.
// Run: mpiexec -n 4 build/release/bin/mpi_type
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/file/file.hpp>
#include <argosy/layout/print.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <array>
#include <cstddef>
#include <iostream>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  int const size = world.size(), rank = world.rank();

  // The file: a matrix of 6 x 4*size doubles, of which this rank has 4 columns. In memory the
  // columns have a halo of one.
  std::array<int, 2> const whole{6, 4 * size}, mine{6, 4}, start{0, 4 * rank}, padded{8, 6},
      inside{1, 1};
  MPI_Datatype columns = MPI_DATATYPE_NULL, core = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(2, whole.data(), mine.data(), start.data(), MPI_ORDER_C, MPI_DOUBLE,
                           &columns);
  MPI_Type_create_subarray(2, padded.data(), mine.data(), inside.data(), MPI_ORDER_C, MPI_DOUBLE,
                           &core);
  MPI_Type_commit(&columns);
  MPI_Type_commit(&core);
  // [from_mpi]
  io::layout const in_file = io::from_mpi(columns), in_memory = io::from_mpi(core);
  MPI_Type_free(&columns);  // the layout is a value and does not refer to the MPI_Datatype
  MPI_Type_free(&core);
  // [from_mpi]

  std::vector<double> u(8 * 6, -1);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 4; ++j) u[(i + 1) * 6 + j + 1] = rank;
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "mpi_type.dat", temporary);
  f.set_view(0, in_file);  // a layout has only bytes, so offsets count bytes
  io::report const r = f.write_all({u, in_memory});
  std::vector<double> row(static_cast<std::size_t>(4 * size));
  f.set_view(0, io::type<double>);
  f.read_at_all(0, row);
  // [to_mpi]
  // A datatype of MPI for the same bytes, freed by its destructor: MPI_Send(u.data(), 1,
  // again.get(), ...)
  io::mpi_datatype const again = io::to_mpi(in_memory);
  int bytes = 0;
  MPI_Type_size(again.get(), &bytes);
  // [to_mpi]
  bool well = r.bytes == 6 * 4 * 8 && bytes == 6 * 4 * 8;
  for (std::size_t j = 0; j < row.size(); ++j) well = well && row[j] == static_cast<double>(j / 4);
  f.close();
  if (rank == 0)
    std::cout << io::to_string(in_file) << " in the file\n"
              << io::to_string(in_memory) << " in memory\n";
  return well ? 0 : 1;
}
