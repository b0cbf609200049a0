// Section 14.4.2 of MPI 4.1: access with explicit offsets; and its calls with large counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "access.h"

// Writes 6 ints of each rank at offset 3 of a view of blocks of 2, and looks at the file.
static void writes_at(at_call* call) {
  MPI_File f = fresh();
  int data[6];
  for (int i = 0; i < 6; ++i) data[i] = 100 * rank + i;
  dealt(f, 8, MPI_INT, 2);
  MPI_Status status;
  OK(call(f, 3, data, 6, MPI_INT, &status));
  EQUAL(count_of(&status, MPI_INT), 6);
  closed(&f);
  barrier();
  for (int i = 0; i < 6; ++i) {
    int const etype = 3 + i, at = 8 + 4 * (etype / 2 * 2 * ranks + 2 * rank + etype % 2);
    EXPECT(file_has(at, &data[i], 4));
  }
}
static void reads_at(at_call* call) {
  made(400);
  MPI_File f = opened(MPI_MODE_RDONLY);
  int data[6] = {0};
  dealt(f, 8, MPI_INT, 2);
  MPI_Status status;
  OK(call(f, 3, data, 6, MPI_INT, &status));
  EQUAL(count_of(&status, MPI_INT), 6);
  for (int i = 0; i < 6; ++i) {
    int const etype = 3 + i, at = 8 + 4 * (etype / 2 * 2 * ranks + 2 * rank + etype % 2);
    EXPECT(patterned(&data[i], 4, at));
  }
  closed(&f);
}
static void keeps_pointers(at_call* call) {
  made(400);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[6] = {0};
  OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_seek(f, 3 + rank, MPI_SEEK_SET));
  OK(MPI_File_seek_shared(f, 5, MPI_SEEK_SET));
  OK(call(f, 10 * rank, data, 6, MPI_INT, MPI_STATUS_IGNORE));
  EQUAL(position(f), 3 + rank);
  EQUAL(position_shared(f), 5);
  closed(&f);
}
static void is_not_sequential(at_call* call, int amode) {
  made(40);
  MPI_File f = opened(amode | MPI_MODE_SEQUENTIAL);
  int data[1] = {0};
  CLASS(call(f, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
  closed(&f);
}
static void refuses_negative_offset(at_call* call) {
  made(40);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[1] = {0};
  FAILS(call(f, -1, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  EQUAL(posix_size(path), 40);
}
static void moves_nothing(at_call* call) {
  made(40);
  MPI_File f = opened(MPI_MODE_RDWR);
  MPI_Status status;
  int data[1] = {17};
  OK(call(f, 100, data, 0, MPI_INT, &status));
  EQUAL(count_of(&status, MPI_INT), 0);
  EQUAL(data[0], 17);
  closed(&f);
  EQUAL(posix_size(path), 40);
}

CHECK(14_4_2_01, 2, "MPI_File_write_at: at an offset of the view, in etypes") {
  writes_at(do_write_at);
}
CHECK(14_4_2_02, 2, "MPI_File_write_at_all: at an offset of the view, in etypes") {
  writes_at(do_write_at_all);
}
CHECK(14_4_2_03, 2, "MPI_File_iwrite_at: at an offset of the view, in etypes") {
  writes_at(do_iwrite_at);
}
CHECK(14_4_2_04, 2, "MPI_File_iwrite_at_all: at an offset of the view, in etypes") {
  writes_at(do_iwrite_at_all);
}
CHECK(14_4_2_05, 2, "MPI_File_write_at_all_begin: at an offset of the view, in etypes") {
  writes_at(do_write_at_all_split);
}
CHECK(14_4_2_06, 2, "MPI_File_read_at: at an offset of the view, in etypes") {
  reads_at(do_read_at);
}
CHECK(14_4_2_07, 2, "MPI_File_read_at_all: at an offset of the view, in etypes") {
  reads_at(do_read_at_all);
}
CHECK(14_4_2_08, 2, "MPI_File_iread_at: at an offset of the view, in etypes") {
  reads_at(do_iread_at);
}
CHECK(14_4_2_09, 2, "MPI_File_iread_at_all: at an offset of the view, in etypes") {
  reads_at(do_iread_at_all);
}
CHECK(14_4_2_10, 2, "MPI_File_read_at_all_begin: at an offset of the view, in etypes") {
  reads_at(do_read_at_all_split);
}
CHECK(14_4_2_11, 2, "MPI_File_write_at: neither uses nor moves file pointers") {
  keeps_pointers(do_write_at);
}
CHECK(14_4_2_12, 2, "MPI_File_write_at_all: neither uses nor moves file pointers") {
  keeps_pointers(do_write_at_all);
}
CHECK(14_4_2_13, 2, "MPI_File_iwrite_at: neither uses nor moves file pointers") {
  keeps_pointers(do_iwrite_at);
}
CHECK(14_4_2_14, 2, "MPI_File_iwrite_at_all: neither uses nor moves file pointers") {
  keeps_pointers(do_iwrite_at_all);
}
CHECK(14_4_2_15, 2, "MPI_File_write_at_all_begin: neither uses nor moves file pointers") {
  keeps_pointers(do_write_at_all_split);
}
CHECK(14_4_2_16, 2, "MPI_File_read_at: neither uses nor moves file pointers") {
  keeps_pointers(do_read_at);
}
CHECK(14_4_2_17, 2, "MPI_File_read_at_all: neither uses nor moves file pointers") {
  keeps_pointers(do_read_at_all);
}
CHECK(14_4_2_18, 2, "MPI_File_iread_at: neither uses nor moves file pointers") {
  keeps_pointers(do_iread_at);
}
CHECK(14_4_2_19, 2, "MPI_File_iread_at_all: neither uses nor moves file pointers") {
  keeps_pointers(do_iread_at_all);
}
CHECK(14_4_2_20, 2, "MPI_File_read_at_all_begin: neither uses nor moves file pointers") {
  keeps_pointers(do_read_at_all_split);
}
CHECK(14_4_2_21, 1, "MPI_File_write_at: an error if the file is sequential") {
  is_not_sequential(do_write_at, MPI_MODE_WRONLY);
}
CHECK(14_4_2_22, 1, "MPI_File_write_at_all: an error if the file is sequential") {
  is_not_sequential(do_write_at_all, MPI_MODE_WRONLY);
}
CHECK(14_4_2_23, 1, "MPI_File_iwrite_at: an error if the file is sequential") {
  is_not_sequential(do_iwrite_at, MPI_MODE_WRONLY);
}
CHECK(14_4_2_24, 1, "MPI_File_iwrite_at_all: an error if the file is sequential") {
  is_not_sequential(do_iwrite_at_all, MPI_MODE_WRONLY);
}
CHECK(14_4_2_25, 1, "MPI_File_write_at_all_begin: an error if the file is sequential") {
  is_not_sequential(do_write_at_all_split, MPI_MODE_WRONLY);
}
CHECK(14_4_2_26, 1, "MPI_File_read_at: an error if the file is sequential") {
  is_not_sequential(do_read_at, MPI_MODE_RDONLY);
}
CHECK(14_4_2_27, 1, "MPI_File_read_at_all: an error if the file is sequential") {
  is_not_sequential(do_read_at_all, MPI_MODE_RDONLY);
}
CHECK(14_4_2_28, 1, "MPI_File_iread_at: an error if the file is sequential") {
  is_not_sequential(do_iread_at, MPI_MODE_RDONLY);
}
CHECK(14_4_2_29, 1, "MPI_File_iread_at_all: an error if the file is sequential") {
  is_not_sequential(do_iread_at_all, MPI_MODE_RDONLY);
}
CHECK(14_4_2_30, 1, "MPI_File_read_at_all_begin: an error if the file is sequential") {
  is_not_sequential(do_read_at_all_split, MPI_MODE_RDONLY);
}
CHECK(14_4_2_31, 1, "MPI_File_write_at: a negative offset is an error") {
  refuses_negative_offset(do_write_at);
}
CHECK(14_4_2_32, 1, "MPI_File_write_at_all: a negative offset is an error") {
  refuses_negative_offset(do_write_at_all);
}
CHECK(14_4_2_33, 1, "MPI_File_iwrite_at: a negative offset is an error") {
  refuses_negative_offset(do_iwrite_at);
}
CHECK(14_4_2_34, 1, "MPI_File_iwrite_at_all: a negative offset is an error") {
  refuses_negative_offset(do_iwrite_at_all);
}
CHECK(14_4_2_35, 1, "MPI_File_write_at_all_begin: a negative offset is an error") {
  refuses_negative_offset(do_write_at_all_split);
}
CHECK(14_4_2_36, 1, "MPI_File_read_at: a negative offset is an error") {
  refuses_negative_offset(do_read_at);
}
CHECK(14_4_2_37, 1, "MPI_File_read_at_all: a negative offset is an error") {
  refuses_negative_offset(do_read_at_all);
}
CHECK(14_4_2_38, 1, "MPI_File_iread_at: a negative offset is an error") {
  refuses_negative_offset(do_iread_at);
}
CHECK(14_4_2_39, 1, "MPI_File_iread_at_all: a negative offset is an error") {
  refuses_negative_offset(do_iread_at_all);
}
CHECK(14_4_2_40, 1, "MPI_File_read_at_all_begin: a negative offset is an error") {
  refuses_negative_offset(do_read_at_all_split);
}
CHECK(14_4_2_41, 2, "MPI_File_write_at: a count of zero is valid, and moves nothing") {
  moves_nothing(do_write_at);
}
CHECK(14_4_2_42, 2, "MPI_File_write_at_all: a count of zero is valid, and moves nothing") {
  moves_nothing(do_write_at_all);
}
CHECK(14_4_2_43, 2, "MPI_File_iwrite_at: a count of zero is valid, and moves nothing") {
  moves_nothing(do_iwrite_at);
}
CHECK(14_4_2_44, 2, "MPI_File_iwrite_at_all: a count of zero is valid, and moves nothing") {
  moves_nothing(do_iwrite_at_all);
}
CHECK(14_4_2_45, 2, "MPI_File_write_at_all_begin: a count of zero is valid, and moves nothing") {
  moves_nothing(do_write_at_all_split);
}
CHECK(14_4_2_46, 2, "MPI_File_read_at: a count of zero is valid, and moves nothing") {
  moves_nothing(do_read_at);
}
CHECK(14_4_2_47, 2, "MPI_File_read_at_all: a count of zero is valid, and moves nothing") {
  moves_nothing(do_read_at_all);
}
CHECK(14_4_2_48, 2, "MPI_File_iread_at: a count of zero is valid, and moves nothing") {
  moves_nothing(do_iread_at);
}
CHECK(14_4_2_49, 2, "MPI_File_iread_at_all: a count of zero is valid, and moves nothing") {
  moves_nothing(do_iread_at_all);
}
CHECK(14_4_2_50, 2, "MPI_File_read_at_all_begin: a count of zero is valid, and moves nothing") {
  moves_nothing(do_read_at_all_split);
}
CHECK(14_4_2_51, 2, "MPI_File_write_at_c: the same with a large count") {
  writes_at(do_write_at_c);
}
CHECK(14_4_2_52, 2, "MPI_File_write_at_all_c: the same with a large count") {
  writes_at(do_write_at_all_c);
}
CHECK(14_4_2_53, 2, "MPI_File_iwrite_at_c: the same with a large count") {
  writes_at(do_iwrite_at_c);
}
CHECK(14_4_2_54, 2, "MPI_File_iwrite_at_all_c: the same with a large count") {
  writes_at(do_iwrite_at_all_c);
}
CHECK(14_4_2_55, 2, "MPI_File_write_at_all_begin_c: the same with a large count") {
  writes_at(do_write_at_all_split_c);
}
CHECK(14_4_2_56, 2, "MPI_File_read_at_c: the same with a large count") { reads_at(do_read_at_c); }
CHECK(14_4_2_57, 2, "MPI_File_read_at_all_c: the same with a large count") {
  reads_at(do_read_at_all_c);
}
CHECK(14_4_2_58, 2, "MPI_File_iread_at_c: the same with a large count") { reads_at(do_iread_at_c); }
CHECK(14_4_2_59, 2, "MPI_File_iread_at_all_c: the same with a large count") {
  reads_at(do_iread_at_all_c);
}
CHECK(14_4_2_60, 2, "MPI_File_read_at_all_begin_c: the same with a large count") {
  reads_at(do_read_at_all_split_c);
}
