// hello_mpiio.cpp moved to argosy one call after the other: MPI's communicator, datatypes and info
// stay. Run: mpiexec -n 4 build/release/bin/from_mpi_io
// SPDX-License-Identifier: BSD-3-Clause
// [from_mpi_io]
#include <argosy/datatype/mpi.hpp>
#include <argosy/file/file.hpp>
#include <argosy/file/hints_mpi.hpp>

#include <mpi.h>

#include <iostream>
#include <system_error>
#include <vector>

namespace io = argosy;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<double> u(22 * 22 * 22);
  int const array[] = {20, 20 * size, 20}, tile[] = {20, 20, 20}, tile_at[] = {0, 20 * rank, 0};
  int const halo[] = {22, 22, 22}, inside_at[] = {1, 1, 1};
  MPI_Datatype in_file, in_memory;
  MPI_Type_create_subarray(3, array, tile, tile_at, MPI_ORDER_C, MPI_DOUBLE, &in_file);
  MPI_Type_create_subarray(3, halo, tile, inside_at, MPI_ORDER_C, MPI_DOUBLE, &in_memory);
  MPI_Type_commit(&in_file);
  MPI_Type_commit(&in_memory);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "2");

  std::error_code error;
  {
    auto f = io::file::open(MPI_COMM_WORLD, "from_mpi_io.dat", io::mode::create | io::mode::write,
                            {io::from_info(info), error});
    if (!error) f.set_size(0, error);
    if (!error) f.set_view(0, {io::from_mpi(MPI_DOUBLE), io::from_mpi(in_file)}, error);
    if (!error) f.write_all({u.data(), io::from_mpi(in_memory), 1}, error);
    // All calls above are collective: either all ranks have an error here, or none.
    if (error && rank == 0) std::cerr << f.what_failed() << "\n";
    std::error_code of_close;
    if (f.is_open()) f.close(of_close);
    if (!error) error = of_close;
  }
  MPI_Info_free(&info);
  MPI_Type_free(&in_memory);
  MPI_Type_free(&in_file);
  MPI_Finalize();
  return error ? 1 : 0;
}
// [from_mpi_io]
