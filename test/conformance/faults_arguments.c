// Faults: one rank gives wrong arguments to a collective call. It gets an error, no rank waits for
// ever, and the file is used as before.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <string.h>

#include "access.h"

#define MINE_FAILS(call)        \
  do {                          \
    int const code = (call);    \
    if (rank == 1) FAILS(code); \
    barrier();                  \
  } while (0)

// A correct collective call, and a look at its data.
static void still_works(MPI_File f) {
  int back = -1;
  OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_write_at_all(f, rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(f, rank, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  EQUAL(back, rank);
  closed(&f);
}
static void wrong_count_at(at_call* call) {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[2] = {0};
  MINE_FAILS(call(f, 2 * rank, data, rank == 1 ? -1 : 1, MPI_INT, MPI_STATUS_IGNORE));
  still_works(f);
}
static void wrong_offset_at(at_call* call) {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[2] = {0};
  MINE_FAILS(call(f, rank == 1 ? -5 : 0, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  still_works(f);
}
static void wrong_type(pointer_call* call) {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[2] = {0};
  MINE_FAILS(call(f, data, 1, rank == 1 ? MPI_DATATYPE_NULL : MPI_INT, MPI_STATUS_IGNORE));
  still_works(f);
}
static void wrong_count(pointer_call* call) {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[2] = {0};
  MINE_FAILS(call(f, data, rank == 1 ? -1 : 1, MPI_INT, MPI_STATUS_IGNORE));
  still_works(f);
}
static int open_with(char const* name, int amode, MPI_File* f) {
  *f = MPI_FILE_NULL;
  return MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, f);
}

CHECK(F_args_01, 2, "MPI_File_open: one rank has a mode without RDONLY, RDWR and WRONLY") {
  MPI_File f;
  MINE_FAILS(open_with(path, rank == 1 ? MPI_MODE_CREATE : MPI_MODE_CREATE | MPI_MODE_RDWR, &f));
}
CHECK(F_args_02, 2, "MPI_File_open: one rank names a file that is not there") {
  made(10);
  char name[1100];
  snprintf(name, sizeof name, rank == 1 ? "%s/none.dat" : "%s/file.dat", directory);
  MPI_File f;
  MINE_FAILS(open_with(name, MPI_MODE_RDWR, &f));
}
CHECK(F_args_03, 2, "MPI_File_open: one rank gives no name") {
  made(10);
  MPI_File f;
  MINE_FAILS(open_with(rank == 1 ? NULL : path, MPI_MODE_RDWR, &f));
}
CHECK(F_args_04, 2, "MPI_File_open: one rank names a directory") {
  made(10);
  MPI_File f;
  MINE_FAILS(open_with(rank == 1 ? directory : path, MPI_MODE_RDWR, &f));
}
CHECK(F_args_05, 2, "MPI_File_set_size: one rank has a negative size") {
  MPI_File f = fresh();
  MINE_FAILS(MPI_File_set_size(f, rank == 1 ? -1 : 10));
  still_works(f);
}
CHECK(F_args_06, 2, "MPI_File_preallocate: one rank has a negative size") {
  MPI_File f = fresh();
  MINE_FAILS(MPI_File_preallocate(f, rank == 1 ? -1 : 10));
  still_works(f);
}
CHECK(F_args_07, 2, "MPI_File_set_view: one rank has a negative displacement") {
  MPI_File f = fresh();
  MINE_FAILS(MPI_File_set_view(f, rank == 1 ? -8 : 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  still_works(f);
}
CHECK(F_args_08, 2, "MPI_File_set_view: one rank has a type that is not committed") {
  MPI_File f = fresh();
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  if (rank == 0) MPI_Type_commit(&type);
  MINE_FAILS(MPI_File_set_view(f, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  MPI_Type_free(&type);
  still_works(f);
}
CHECK(F_args_09, 2, "MPI_File_set_view: one rank has MPI_DATATYPE_NULL") {
  MPI_File f = fresh();
  MINE_FAILS(MPI_File_set_view(f, 0, MPI_INT, rank == 1 ? MPI_DATATYPE_NULL : MPI_INT, "native",
                               MPI_INFO_NULL));
  still_works(f);
}
CHECK(F_args_10, 2, "MPI_File_set_view: one rank has an unknown representation") {
  MPI_File f = fresh();
  MINE_FAILS(
      MPI_File_set_view(f, 0, MPI_INT, MPI_INT, rank == 1 ? "none" : "native", MPI_INFO_NULL));
  still_works(f);
}
CHECK(F_args_11, 2, "MPI_File_set_view: etypes of different extents") {
  MPI_File f = fresh();
  MPI_Datatype const type = rank == 0 ? MPI_INT : MPI_DOUBLE;
  MINE_FAILS(MPI_File_set_view(f, 0, type, type, "native", MPI_INFO_NULL));
  still_works(f);
}
CHECK(F_args_12, 2, "MPI_File_seek_shared: one rank seeks to a negative position") {
  MPI_File f = fresh();
  MINE_FAILS(MPI_File_seek_shared(f, rank == 1 ? -1 : 0, MPI_SEEK_SET));
  still_works(f);
}
CHECK(F_args_13, 2, "MPI_File_seek_shared: one rank has an unknown kind") {
  MPI_File f = fresh();
  MINE_FAILS(MPI_File_seek_shared(f, 0, rank == 1 ? 4711 : MPI_SEEK_SET));
  still_works(f);
}
CHECK(F_args_14, 2, "MPI_File_write_at_all: one rank has a negative count") {
  wrong_count_at(do_write_at_all);
}
CHECK(F_args_15, 2, "MPI_File_read_at_all: one rank has a negative count") {
  wrong_count_at(do_read_at_all);
}
CHECK(F_args_16, 2, "MPI_File_iwrite_at_all: one rank has a negative count") {
  wrong_count_at(do_iwrite_at_all);
}
CHECK(F_args_17, 2, "MPI_File_iread_at_all: one rank has a negative count") {
  wrong_count_at(do_iread_at_all);
}
CHECK(F_args_18, 2, "MPI_File_write_at_all_begin: one rank has a negative count") {
  wrong_count_at(do_write_at_all_split);
}
CHECK(F_args_19, 2, "MPI_File_write_at_all: one rank has a negative offset") {
  wrong_offset_at(do_write_at_all);
}
CHECK(F_args_20, 2, "MPI_File_read_at_all: one rank has a negative offset") {
  wrong_offset_at(do_read_at_all);
}
CHECK(F_args_21, 2, "MPI_File_iwrite_at_all: one rank has a negative offset") {
  wrong_offset_at(do_iwrite_at_all);
}
CHECK(F_args_22, 2, "MPI_File_read_at_all_begin: one rank has a negative offset") {
  wrong_offset_at(do_read_at_all_split);
}
CHECK(F_args_23, 2, "MPI_File_write_all: one rank has MPI_DATATYPE_NULL") {
  wrong_type(do_write_all);
}
CHECK(F_args_24, 2, "MPI_File_read_all: one rank has MPI_DATATYPE_NULL") {
  wrong_type(do_read_all);
}
CHECK(F_args_25, 2, "MPI_File_iwrite_all: one rank has MPI_DATATYPE_NULL") {
  wrong_type(do_iwrite_all);
}
CHECK(F_args_26, 2, "MPI_File_write_all_begin: one rank has MPI_DATATYPE_NULL") {
  wrong_type(do_write_all_split);
}
CHECK(F_args_27, 2, "MPI_File_write_ordered: one rank has a negative count") {
  wrong_count(do_write_ordered);
}
CHECK(F_args_28, 2, "MPI_File_read_ordered: one rank has a negative count") {
  wrong_count(do_read_ordered);
}
CHECK(F_args_29, 2, "MPI_File_write_ordered_begin: one rank has a negative count") {
  wrong_count(do_write_ordered_split);
}
CHECK(F_args_30, 2, "MPI_File_write_ordered: one rank has MPI_DATATYPE_NULL") {
  wrong_type(do_write_ordered);
}
