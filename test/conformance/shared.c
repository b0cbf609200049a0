// Section 14.4.4 of MPI 4.1: access with the shared file pointer; and its calls with large counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "access.h"

// Each rank writes 3 ints of its own. They are in the file, one rank after the other.
static void writes_shared(pointer_call* call) {
  MPI_File f = fresh();
  int const data[3] = {rank + 1, rank + 1, rank + 1};
  MPI_Status status;
  OK(MPI_File_set_view(f, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(call(f, (void*)data, 3, MPI_INT, &status));
  EQUAL(count_of(&status, MPI_INT), 3);
  closed(&f);
  barrier();
  EQUAL(posix_size(path), 4 + 12 * ranks);
  int places = 0;
  for (int i = 0; i < ranks; ++i) places += file_has(4 + 12 * i, data, 12);
  EQUAL(places, 1);
}
// Each rank reads 12 bytes, and no two the same.
static void reads_shared(pointer_call* call) {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  unsigned char data[12];
  MPI_Status status;
  OK(MPI_File_set_view(f, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(call(f, data, 3, MPI_INT, &status));
  EQUAL(count_of(&status, MPI_INT), 3);
  int places = 0, sum = 0;
  for (int i = 0; i < ranks; ++i) places |= patterned(data, 12, 4 + 12 * i) << i;
  MPI_Allreduce(&places, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EQUAL(sum, (1 << ranks) - 1);
  closed(&f);
}
static void writes_in_order(pointer_call* call) {
  MPI_File f = fresh();
  int data[4] = {rank, rank, rank, rank}, wanted[20], n = 0;
  MPI_Status status;
  OK(call(f, data, rank + 1, MPI_INT, &status));
  EQUAL(count_of(&status, MPI_INT), rank + 1);
  OK(call(f, data, rank + 1, MPI_INT, &status));
  closed(&f);
  barrier();
  for (int turn = 0; turn < 2; ++turn)
    for (int r = 0; r < ranks; ++r)
      for (int i = 0; i <= r; ++i) wanted[n++] = r;
  EXPECT(file_has(0, wanted, sizeof(int) * (size_t)n));
  EQUAL(posix_size(path), 4 * n);
}
static void reads_in_order(pointer_call* call) {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[20];
  MPI_Status status;
  OK(call(f, data, 5 + rank, MPI_BYTE, &status));
  EQUAL(count_of(&status, MPI_BYTE), 5 + rank);
  EXPECT(patterned(data, (size_t)(5 + rank), 5 * rank + rank * (rank - 1) / 2));
  closed(&f);
}
static void moves_pointer(pointer_call* call) {
  made(400);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[8] = {0};
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  OK(MPI_File_set_view(f, 0, pair, pair, "native", MPI_INFO_NULL));
  OK(MPI_File_seek_shared(f, 1, MPI_SEEK_SET));
  OK(call(f, data, 6, MPI_INT, MPI_STATUS_IGNORE));
  barrier();
  EQUAL(position_shared(f), 1 + 3 * ranks);
  barrier();
  MPI_Type_free(&pair);
  closed(&f);
}
static void keeps_individual_pointer(pointer_call* call) {
  made(400);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[4] = {0};
  OK(MPI_File_seek(f, 5 + rank, MPI_SEEK_SET));
  OK(call(f, data, 4, MPI_INT, MPI_STATUS_IGNORE));
  EQUAL(position(f), 5 + rank);
  closed(&f);
}
static void may_be_sequential(pointer_call* call, int amode) {
  made(40);
  MPI_File f = opened(amode | MPI_MODE_SEQUENTIAL);
  int data[1] = {0};
  OK(call(f, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  EQUAL(posix_size(path), 40);
}

CHECK(14_4_4_01, 3, "MPI_File_write_shared: each rank its own place, in any order") {
  writes_shared(do_write_shared);
}
CHECK(14_4_4_02, 3, "MPI_File_iwrite_shared: each rank its own place, in any order") {
  writes_shared(do_iwrite_shared);
}
CHECK(14_4_4_03, 3, "MPI_File_write_ordered: in the order of ranks") {
  writes_in_order(do_write_ordered);
}
CHECK(14_4_4_04, 3, "MPI_File_write_ordered_begin: in the order of ranks") {
  writes_in_order(do_write_ordered_split);
}
CHECK(14_4_4_05, 3, "MPI_File_read_shared: each rank its own place, in any order") {
  reads_shared(do_read_shared);
}
CHECK(14_4_4_06, 3, "MPI_File_iread_shared: each rank its own place, in any order") {
  reads_shared(do_iread_shared);
}
CHECK(14_4_4_07, 3, "MPI_File_read_ordered: in the order of ranks") {
  reads_in_order(do_read_ordered);
}
CHECK(14_4_4_08, 3, "MPI_File_read_ordered_begin: in the order of ranks") {
  reads_in_order(do_read_ordered_split);
}
CHECK(14_4_4_09, 3, "MPI_File_write_shared: moves the shared pointer behind the last etype") {
  moves_pointer(do_write_shared);
}
CHECK(14_4_4_10, 3, "MPI_File_iwrite_shared: moves the shared pointer behind the last etype") {
  moves_pointer(do_iwrite_shared);
}
CHECK(14_4_4_11, 3, "MPI_File_write_ordered: moves the shared pointer behind the last etype") {
  moves_pointer(do_write_ordered);
}
CHECK(14_4_4_12, 3,
      "MPI_File_write_ordered_begin: moves the shared pointer behind the last etype") {
  moves_pointer(do_write_ordered_split);
}
CHECK(14_4_4_13, 3, "MPI_File_read_shared: moves the shared pointer behind the last etype") {
  moves_pointer(do_read_shared);
}
CHECK(14_4_4_14, 3, "MPI_File_iread_shared: moves the shared pointer behind the last etype") {
  moves_pointer(do_iread_shared);
}
CHECK(14_4_4_15, 3, "MPI_File_read_ordered: moves the shared pointer behind the last etype") {
  moves_pointer(do_read_ordered);
}
CHECK(14_4_4_16, 3, "MPI_File_read_ordered_begin: moves the shared pointer behind the last etype") {
  moves_pointer(do_read_ordered_split);
}
CHECK(14_4_4_17, 2, "MPI_File_write_shared: neither uses nor moves individual pointers") {
  keeps_individual_pointer(do_write_shared);
}
CHECK(14_4_4_18, 2, "MPI_File_iwrite_shared: neither uses nor moves individual pointers") {
  keeps_individual_pointer(do_iwrite_shared);
}
CHECK(14_4_4_19, 2, "MPI_File_write_ordered: neither uses nor moves individual pointers") {
  keeps_individual_pointer(do_write_ordered);
}
CHECK(14_4_4_20, 2, "MPI_File_write_ordered_begin: neither uses nor moves individual pointers") {
  keeps_individual_pointer(do_write_ordered_split);
}
CHECK(14_4_4_21, 2, "MPI_File_read_shared: neither uses nor moves individual pointers") {
  keeps_individual_pointer(do_read_shared);
}
CHECK(14_4_4_22, 2, "MPI_File_iread_shared: neither uses nor moves individual pointers") {
  keeps_individual_pointer(do_iread_shared);
}
CHECK(14_4_4_23, 2, "MPI_File_read_ordered: neither uses nor moves individual pointers") {
  keeps_individual_pointer(do_read_ordered);
}
CHECK(14_4_4_24, 2, "MPI_File_read_ordered_begin: neither uses nor moves individual pointers") {
  keeps_individual_pointer(do_read_ordered_split);
}
CHECK(14_4_4_25, 2, "MPI_File_write_shared: allowed if the file is sequential") {
  may_be_sequential(do_write_shared, MPI_MODE_WRONLY);
}
CHECK(14_4_4_26, 2, "MPI_File_iwrite_shared: allowed if the file is sequential") {
  may_be_sequential(do_iwrite_shared, MPI_MODE_WRONLY);
}
CHECK(14_4_4_27, 2, "MPI_File_write_ordered: allowed if the file is sequential") {
  may_be_sequential(do_write_ordered, MPI_MODE_WRONLY);
}
CHECK(14_4_4_28, 2, "MPI_File_write_ordered_begin: allowed if the file is sequential") {
  may_be_sequential(do_write_ordered_split, MPI_MODE_WRONLY);
}
CHECK(14_4_4_29, 2, "MPI_File_read_shared: allowed if the file is sequential") {
  may_be_sequential(do_read_shared, MPI_MODE_RDONLY);
}
CHECK(14_4_4_30, 2, "MPI_File_iread_shared: allowed if the file is sequential") {
  may_be_sequential(do_iread_shared, MPI_MODE_RDONLY);
}
CHECK(14_4_4_31, 2, "MPI_File_read_ordered: allowed if the file is sequential") {
  may_be_sequential(do_read_ordered, MPI_MODE_RDONLY);
}
CHECK(14_4_4_32, 2, "MPI_File_read_ordered_begin: allowed if the file is sequential") {
  may_be_sequential(do_read_ordered_split, MPI_MODE_RDONLY);
}
CHECK(14_4_4_33, 3, "MPI_File_write_shared_c: the same with a large count") {
  writes_shared(do_write_shared_c);
}
CHECK(14_4_4_34, 3, "MPI_File_iwrite_shared_c: the same with a large count") {
  writes_shared(do_iwrite_shared_c);
}
CHECK(14_4_4_35, 3, "MPI_File_write_ordered_c: the same with a large count") {
  writes_in_order(do_write_ordered_c);
}
CHECK(14_4_4_36, 3, "MPI_File_write_ordered_begin_c: the same with a large count") {
  writes_in_order(do_write_ordered_split_c);
}
CHECK(14_4_4_37, 3, "MPI_File_read_shared_c: the same with a large count") {
  reads_shared(do_read_shared_c);
}
CHECK(14_4_4_38, 3, "MPI_File_iread_shared_c: the same with a large count") {
  reads_shared(do_iread_shared_c);
}
CHECK(14_4_4_39, 3, "MPI_File_read_ordered_c: the same with a large count") {
  reads_in_order(do_read_ordered_c);
}
CHECK(14_4_4_40, 3, "MPI_File_read_ordered_begin_c: the same with a large count") {
  reads_in_order(do_read_ordered_split_c);
}

CHECK(14_4_4_41, 2, "There is one shared pointer for each collective open") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY), g = opened(MPI_MODE_RDONLY);
  OK(MPI_File_seek_shared(f, 30, MPI_SEEK_SET));
  EQUAL(position_shared(g), 0);
  barrier();
  OK(MPI_File_seek_shared(g, 7, MPI_SEEK_SET));
  EQUAL(position_shared(f), 30);
  closed(&f);
  closed(&g);
}

CHECK(14_4_4_42, 3, "Opens by several communicators have shared pointers of their own") {
  made(100);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
  MPI_File f = opened_by(half, MPI_MODE_RDONLY);
  char data[8];
  OK(MPI_File_read_ordered(f, data, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 4, rank == 2 ? 4 : 0));
  EQUAL(position_shared(f), rank == 0 ? 4 : 8);
  closed(&f);
  MPI_Comm_free(&half);
}

CHECK(14_4_4_43, 2, "An ordered call behind noncollective ones goes on where they ended") {
  MPI_File f = fresh();
  if (rank == 1) OK(MPI_File_write_shared(f, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  barrier();
  OK(MPI_File_write_ordered(f, rank == 0 ? "x" : "y", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  if (rank == 0) OK(MPI_File_write_shared(f, "z", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  barrier();
  EXPECT(file_has(0, "abcxyz", 6));
}

CHECK(14_4_4_44, 3, "An ordered call with nothing on some ranks") {
  MPI_File f = fresh();
  OK(MPI_File_write_ordered(f, "abc", rank == 1 ? 0 : rank + 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  barrier();
  EXPECT(file_has(0, "aabc", 4));
  EQUAL(posix_size(path), 4);
}

CHECK(14_4_4_45, 2, "MPI_File_seek_shared, MPI_SEEK_SET: all ranks see the new place") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_set_view(f, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_seek_shared(f, 5, MPI_SEEK_SET));
  EQUAL(position_shared(f), 5);
  closed(&f);
}

CHECK(14_4_4_46, 2, "MPI_SEEK_CUR: the offset is added once to the shared pointer") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_seek_shared(f, 5, MPI_SEEK_SET));
  OK(MPI_File_seek_shared(f, 10, MPI_SEEK_CUR));
  EQUAL(position_shared(f), 15);
  barrier();
  OK(MPI_File_seek_shared(f, -12, MPI_SEEK_CUR));
  EQUAL(position_shared(f), 3);
  closed(&f);
}

CHECK(14_4_4_47, 2, "MPI_SEEK_END: the offset is added to the end of the file") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_set_view(f, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_seek_shared(f, -2, MPI_SEEK_END));
  EQUAL(position_shared(f), 22);
  closed(&f);
}

CHECK(14_4_4_48, 2, "Offsets of MPI_File_seek_shared that differ are an error") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  FAILS(MPI_File_seek_shared(f, 5 + rank, MPI_SEEK_SET));
  closed(&f);
}

CHECK(14_4_4_49, 2, "Kinds of MPI_File_seek_shared that differ are an error") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  FAILS(MPI_File_seek_shared(f, 0, rank == 0 ? MPI_SEEK_SET : MPI_SEEK_END));
  closed(&f);
}

CHECK(14_4_4_50, 2, "A shared seek to a negative position is an error") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_seek_shared(f, 5, MPI_SEEK_SET));
  FAILS(MPI_File_seek_shared(f, -6, MPI_SEEK_CUR));
  EQUAL(position_shared(f), 5);
  closed(&f);
}

CHECK(14_4_4_51, 1, "MPI_File_seek_shared on a sequential file is an error") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  CLASS(MPI_File_seek_shared(f, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
  closed(&f);
}

CHECK(14_4_4_52, 2, "MPI_File_get_position_shared and a shared seek return to the same place") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[5];
  OK(MPI_File_read_ordered(f, data, 3, MPI_BYTE, MPI_STATUS_IGNORE));
  long long const at = position_shared(f);
  barrier();
  OK(MPI_File_read_ordered(f, data, 5, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_seek_shared(f, at, MPI_SEEK_SET));
  OK(MPI_File_read_ordered(f, data, 5, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 5, 6 + 5 * rank));
  closed(&f);
}

CHECK(14_4_4_53, 3, "Many shared writes of all ranks: each has a place of its own") {
  MPI_File f = fresh();
  for (int i = 0; i < 40; ++i) {
    int const value = rank * 1000 + i;
    OK(MPI_File_write_shared(f, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  }
  closed(&f);
  f = opened(MPI_MODE_RDONLY);
  int all[120] = {0}, seen[3] = {0}, in_order = 1;
  OK(MPI_File_read_at(f, 0, all, 120, MPI_INT, MPI_STATUS_IGNORE));
  for (int i = 0; i < 120; ++i) {
    int const writer = all[i] / 1000 % 3;
    in_order &= all[i] == writer * 1000 + seen[writer]++;
  }
  EXPECT(in_order);
  EQUAL(size_of(f), 480);
  closed(&f);
}

CHECK(14_4_4_54, 2, "The shared pointer follows the view: a filetype with holes") {
  MPI_File f = fresh();
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  int const data[2] = {7, 8};
  OK(MPI_File_set_view(f, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  OK(MPI_File_write_ordered(f, data, 2, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  barrier();
  for (int i = 0; i < 4; ++i) EXPECT(file_has(8 * i, &data[i % 2], 4));
}
