/* A 3-D array of doubles, dealt in blocks, written and read by HDF5 (contiguous, and in chunks that
 * cross the blocks) and by PnetCDF. All calls are collective, and each round has its own file. A
 * plain MPI program, for benchmarks/compare_formats.sh.
 *   volumes DIRECTORY EDGE ROUNDS
 * It prints a line for each measurement, with the time of the slowest rank, which includes open and
 * close of the file: "hdf5-chunks write 0.0123".
 * SPDX-License-Identifier: BSD-3-Clause */
#include <hdf5.h>
#include <mpi.h>
#include <pnetcdf.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, ranks;
static char path[4096];
static long long edge, start[3], count[3], items;
static double *mine, *back;

static void must(int holds, char const* what) {
  if (holds) return;
  fprintf(stderr, "volumes: rank %d: %s failed\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define MUST(call) must((call) >= 0, #call)
#define MUST_NC(call) must((call) == NC_NOERR, #call)

static double value(long long i) { return (double)(rank * 1000003 + i); }

static void deal(void) {
  int dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0}, at[3];
  MPI_Comm grid;
  MPI_Dims_create(ranks, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 3, at);
  MPI_Comm_free(&grid);
  items = 1;
  for (int d = 0; d < 3; ++d) {
    long long const block = (edge + dims[d] - 1) / dims[d];
    start[d] = at[d] * block;
    count[d] = start[d] + block > edge ? edge - start[d] : block;
    items *= count[d];
  }
}

static void hdf5(int writing, int chunks) {
  hsize_t whole[3], chunk[3], from[3], many[3];
  for (int d = 0; d < 3; ++d) {
    whole[d] = (hsize_t)edge;
    chunk[d] = (hsize_t)(edge / 5 + 1);
    from[d] = (hsize_t)start[d];
    many[d] = (hsize_t)count[d];
  }
  hid_t const parallel = H5Pcreate(H5P_FILE_ACCESS), together = H5Pcreate(H5P_DATASET_XFER),
              how = H5Pcreate(H5P_DATASET_CREATE);
  MUST(H5Pset_fapl_mpio(parallel, MPI_COMM_WORLD, MPI_INFO_NULL));
  MUST(H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE));
  if (chunks) MUST(H5Pset_chunk(how, 3, chunk));
  MUST(H5Pset_fill_time(how, H5D_FILL_TIME_NEVER));
  hid_t const file = writing ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, parallel)
                             : H5Fopen(path, H5F_ACC_RDONLY, parallel);
  must(file >= 0, "opening by HDF5");
  hid_t const in_file = H5Screate_simple(3, whole, NULL),
              in_memory = H5Screate_simple(3, many, NULL);
  hid_t const data =
      writing ? H5Dcreate2(file, "u", H5T_NATIVE_DOUBLE, in_file, H5P_DEFAULT, how, H5P_DEFAULT)
              : H5Dopen2(file, "u", H5P_DEFAULT);
  must(data >= 0, "the dataset");
  MUST(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, from, NULL, many, NULL));
  if (writing)
    MUST(H5Dwrite(data, H5T_NATIVE_DOUBLE, in_memory, in_file, together, mine));
  else
    MUST(H5Dread(data, H5T_NATIVE_DOUBLE, in_memory, in_file, together, back));
  MUST(H5Dclose(data));
  H5Sclose(in_file);
  H5Sclose(in_memory);
  H5Pclose(parallel);
  H5Pclose(together);
  H5Pclose(how);
  MUST(H5Fclose(file));
}

static void hdf5_whole(int writing) { hdf5(writing, 0); }
static void hdf5_chunks(int writing) { hdf5(writing, 1); }

static void pnetcdf(int writing) {
  int file, dims[3], variable;
  MPI_Offset from[3] = {start[0], start[1], start[2]}, many[3] = {count[0], count[1], count[2]};
  if (writing) {
    MUST_NC(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
    MUST_NC(ncmpi_def_dim(file, "z", edge, &dims[0]));
    MUST_NC(ncmpi_def_dim(file, "y", edge, &dims[1]));
    MUST_NC(ncmpi_def_dim(file, "x", edge, &dims[2]));
    MUST_NC(ncmpi_def_var(file, "u", NC_DOUBLE, 3, dims, &variable));
    MUST_NC(ncmpi_enddef(file));
    MUST_NC(ncmpi_put_vara_double_all(file, variable, from, many, mine));
  } else {
    MUST_NC(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file));
    MUST_NC(ncmpi_inq_varid(file, "u", &variable));
    MUST_NC(ncmpi_get_vara_double_all(file, variable, from, many, back));
  }
  MUST_NC(ncmpi_close(file));
}

static void measure(char const* name, int writing, void (*work)(int)) {
  double took, slowest;
  MPI_Barrier(MPI_COMM_WORLD);
  took = MPI_Wtime();
  work(writing);
  took = MPI_Wtime() - took;
  MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %s %.6f\n", name, writing ? "write" : "read", slowest);
}

int main(int argc, char** argv) {
  static struct {
    char const* name;
    void (*work)(int);
  } const kinds[] = {
      {"hdf5-contiguous", hdf5_whole}, {"hdf5-chunks", hdf5_chunks}, {"pnetcdf", pnetcdf}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  must(argc == 4, "volumes DIRECTORY EDGE ROUNDS");
  edge = atoll(argv[2]);
  must(edge > ranks &&
           snprintf(path, sizeof path, "%s/argosy-volumes.dat", argv[1]) < (int)sizeof path,
       "an argument");
  deal();
  mine = malloc((size_t)items * sizeof *mine);
  back = malloc((size_t)items * sizeof *back);
  must(mine && back, "memory");
  for (long long i = 0; i < items; ++i) mine[i] = value(i);
  for (int round = 0; round < atoi(argv[3]); ++round)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
      for (int again = 0; again < 2; ++again) measure(kinds[k].name, again == 0, kinds[k].work);
      for (long long i = 0; i < items; ++i) must(back[i] == value(i), "reading what was written");
      for (long long i = 0; i < items; ++i) back[i] = -1;
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) unlink(path);
    }
  free(mine);
  free(back);
  MPI_Finalize();
  return 0;
}
