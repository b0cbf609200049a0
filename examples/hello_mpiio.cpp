// hello.cpp in plain MPI-IO, to compare the two: the file is the same. Run: mpiexec -n 4
// build/release/bin/hello_mpiio
// SPDX-License-Identifier: BSD-3-Clause
// [hello_mpiio]
#include <mpi.h>

#include <cstdio>
#include <vector>

void check(int code, char const* call) {  // errors of files are returned, and lost if not looked at
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::fprintf(stderr, "%s: %s\n", call, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<double> u(22 * 22 * 22);  // 20 x 20 x 20 values of this rank, in a halo
  // In the file: one array, without halos, in blocks along its second dimension.
  int const array[] = {20, 20 * size, 20}, tile[] = {20, 20, 20}, tile_at[] = {0, 20 * rank, 0};
  int const halo[] = {22, 22, 22}, inside_at[] = {1, 1, 1};
  MPI_Datatype in_file, in_memory;
  MPI_Type_create_subarray(3, array, tile, tile_at, MPI_ORDER_C, MPI_DOUBLE, &in_file);
  MPI_Type_create_subarray(3, halo, tile, inside_at, MPI_ORDER_C, MPI_DOUBLE, &in_memory);
  MPI_Type_commit(&in_file);
  MPI_Type_commit(&in_memory);
  MPI_File f;
  check(MPI_File_open(MPI_COMM_WORLD, "hello_mpiio.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY,
                      MPI_INFO_NULL, &f),
        "MPI_File_open");
  check(MPI_File_set_size(f, 0), "MPI_File_set_size");
  check(MPI_File_set_view(f, 0, MPI_DOUBLE, in_file, "native", MPI_INFO_NULL), "MPI_File_set_view");
  check(MPI_File_write_all(f, u.data(), 1, in_memory, MPI_STATUS_IGNORE), "MPI_File_write_all");
  check(MPI_File_close(&f), "MPI_File_close");
  MPI_Type_free(&in_memory);
  MPI_Type_free(&in_file);
  MPI_Finalize();
}
// [hello_mpiio]
