/* The compressed array of bench_zarr, written by HDF5: rows of 1 MiB of floats, each a chunk with
 * deflate of level 1. The write is collective. A plain MPI program, for
 * benchmarks/compare_formats.sh.
 *   compressed DIRECTORY MIB rows|columns ROUNDS
 * The first write warms up. For each further one it prints a line with the time of the slowest
 * rank, which includes open, sync and close of the file: "hdf5 0.0123".
 * SPDX-License-Identifier: BSD-3-Clause */
#include <hdf5.h>
#include <mpi.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { width = 1 << 18, rows_of_shard = 16 };

static int rank, ranks;
static char path[4096];
static hsize_t whole[2], from[2], many[2];
static float* mine;

static void must(int holds, char const* what) {
  if (holds) return;
  fprintf(stderr, "compressed: rank %d: %s failed\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define MUST(call) must((call) >= 0, #call)

/* The same field as that of bench_zarr. */
static float value(long long i) {
  uint32_t noise = (uint32_t)i;
  noise = (noise ^ noise >> 16) * 0x7feb352du;
  noise = (noise ^ noise >> 15) * 0x846ca68bu;
  return (float)((int)(1000 * sin(1e-3 * (double)i)) + (int)(noise >> 30));
}

static hsize_t row_of(int of) {
  hsize_t const shards = (whole[0] + rows_of_shard - 1) / rows_of_shard;
  hsize_t const row = shards * (hsize_t)of / (hsize_t)ranks * rows_of_shard;
  return row < whole[0] ? row : whole[0];
}

static void deal(int columns) {
  if (columns) {
    from[1] = (hsize_t)((long long)width * rank / ranks);
    many[0] = whole[0];
    many[1] = (hsize_t)((long long)width * (rank + 1) / ranks) - from[1];
  } else {
    from[0] = row_of(rank);
    many[0] = row_of(rank + 1) - from[0];
    many[1] = width;
  }
  float* next = mine = malloc((size_t)(many[0] * many[1]) * sizeof *mine + 1);
  must(mine != NULL, "memory");
  for (hsize_t row = from[0]; row < from[0] + many[0]; ++row)
    for (hsize_t column = from[1]; column < from[1] + many[1]; ++column)
      *next++ = value((long long)(row * width + column));
}

static void write_array(void) {
  hsize_t const chunk[2] = {1, width};
  hid_t const parallel = H5Pcreate(H5P_FILE_ACCESS), together = H5Pcreate(H5P_DATASET_XFER),
              how = H5Pcreate(H5P_DATASET_CREATE);
  MUST(H5Pset_fapl_mpio(parallel, MPI_COMM_WORLD, MPI_INFO_NULL));
  MUST(H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE));
  MUST(H5Pset_chunk(how, 2, chunk));
  MUST(H5Pset_deflate(how, 1));
  MUST(H5Pset_fill_time(how, H5D_FILL_TIME_NEVER));
  hid_t const file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, parallel);
  must(file >= 0, "opening");
  hid_t const in_file = H5Screate_simple(2, whole, NULL),
              in_memory = H5Screate_simple(2, many, NULL);
  hid_t const data =
      H5Dcreate2(file, "u", H5T_NATIVE_FLOAT, in_file, H5P_DEFAULT, how, H5P_DEFAULT);
  must(data >= 0, "the dataset");
  if (many[0] == 0) {
    MUST(H5Sselect_none(in_file));
    MUST(H5Sselect_none(in_memory));
  } else {
    MUST(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, from, NULL, many, NULL));
  }
  MUST(H5Dwrite(data, H5T_NATIVE_FLOAT, in_memory, in_file, together, mine));
  MUST(H5Dclose(data));
  MUST(H5Fflush(file, H5F_SCOPE_GLOBAL)); /* syncs the file */
  MUST(H5Fclose(file));
  H5Sclose(in_file);
  H5Sclose(in_memory);
  H5Pclose(parallel);
  H5Pclose(together);
  H5Pclose(how);
}

static double measure(void) {
  double took, slowest;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(path);
  MPI_Barrier(MPI_COMM_WORLD);
  took = MPI_Wtime();
  write_array();
  took = MPI_Wtime() - took;
  MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  must(argc == 5 && atoi(argv[2]) > 0 &&
           snprintf(path, sizeof path, "%s/argosy-compressed.h5", argv[1]) < (int)sizeof path,
       "compressed DIRECTORY MIB rows|columns ROUNDS");
  whole[0] = (hsize_t)atoi(argv[2]);
  whole[1] = width;
  deal(strcmp(argv[3], "columns") == 0);
  for (int round = 0; round <= atoi(argv[4]); ++round) {
    double const took = measure();
    if (round > 0 && rank == 0) printf("hdf5 %.6f\n", took);
  }
  if (rank == 0) unlink(path);
  free(mine);
  MPI_Finalize();
  return 0;
}
