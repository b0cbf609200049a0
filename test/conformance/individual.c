// Section 14.4.3 of MPI 4.1: access with individual file pointers; and its calls with large counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "access.h"

// Writes twice 3 ints of each rank into a view of blocks of 2, and looks at the file.
static void writes(pointer_call* call) {
  MPI_File f = fresh();
  int data[6];
  for (int i = 0; i < 6; ++i) data[i] = 100 * rank + i;
  dealt(f, 8, MPI_INT, 2);
  MPI_Status status;
  OK(MPI_File_seek(f, 3, MPI_SEEK_SET));
  OK(call(f, data, 3, MPI_INT, &status));
  EQUAL(count_of(&status, MPI_INT), 3);
  OK(call(f, data + 3, 3, MPI_INT, &status));
  closed(&f);
  barrier();
  for (int i = 0; i < 6; ++i) {
    int const etype = 3 + i, at = 8 + 4 * (etype / 2 * 2 * ranks + 2 * rank + etype % 2);
    EXPECT(file_has(at, &data[i], 4));
  }
}
static void reads(pointer_call* call) {
  made(400);
  MPI_File f = opened(MPI_MODE_RDONLY);
  int data[6] = {0};
  dealt(f, 8, MPI_INT, 2);
  MPI_Status status;
  OK(MPI_File_seek(f, 3, MPI_SEEK_SET));
  OK(call(f, data, 3, MPI_INT, &status));
  EQUAL(count_of(&status, MPI_INT), 3);
  OK(call(f, data + 3, 3, MPI_INT, &status));
  for (int i = 0; i < 6; ++i) {
    int const etype = 3 + i, at = 8 + 4 * (etype / 2 * 2 * ranks + 2 * rank + etype % 2);
    EXPECT(patterned(&data[i], 4, at));
  }
  closed(&f);
}
// The pointer moves by elements(datatype) / elements(etype) * count.
static void moves_pointer(pointer_call* call) {
  made(400);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[12] = {0};
  MPI_Datatype pair, three = strided(MPI_INT, 1, 2);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  OK(MPI_File_set_view(f, 0, pair, pair, "native", MPI_INFO_NULL));
  OK(MPI_File_seek(f, 1, MPI_SEEK_SET));
  OK(call(f, data, 6, three, MPI_STATUS_IGNORE));
  EQUAL(position(f), 4);
  MPI_Type_free(&three);
  MPI_Type_free(&pair);
  closed(&f);
}
static void keeps_shared_pointer(pointer_call* call) {
  made(400);
  MPI_File f = opened(MPI_MODE_RDWR);
  int data[2] = {0};
  OK(MPI_File_seek_shared(f, 5, MPI_SEEK_SET));
  OK(MPI_File_seek(f, 8 * rank, MPI_SEEK_SET));
  OK(call(f, data, 2, MPI_INT, MPI_STATUS_IGNORE));
  EQUAL(position_shared(f), 5);
  closed(&f);
}
static void is_not_sequential(pointer_call* call, int amode) {
  made(40);
  MPI_File f = opened(amode | MPI_MODE_SEQUENTIAL);
  int data[1] = {0};
  CLASS(call(f, data, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
  closed(&f);
}

CHECK(14_4_3_01, 2, "MPI_File_write: at the individual pointer") { writes(do_write); }
CHECK(14_4_3_02, 2, "MPI_File_write_all: at the individual pointer") { writes(do_write_all); }
CHECK(14_4_3_03, 2, "MPI_File_iwrite: at the individual pointer") { writes(do_iwrite); }
CHECK(14_4_3_04, 2, "MPI_File_iwrite_all: at the individual pointer") { writes(do_iwrite_all); }
CHECK(14_4_3_05, 2, "MPI_File_write_all_begin: at the individual pointer") {
  writes(do_write_all_split);
}
CHECK(14_4_3_06, 2, "MPI_File_read: at the individual pointer") { reads(do_read); }
CHECK(14_4_3_07, 2, "MPI_File_read_all: at the individual pointer") { reads(do_read_all); }
CHECK(14_4_3_08, 2, "MPI_File_iread: at the individual pointer") { reads(do_iread); }
CHECK(14_4_3_09, 2, "MPI_File_iread_all: at the individual pointer") { reads(do_iread_all); }
CHECK(14_4_3_10, 2, "MPI_File_read_all_begin: at the individual pointer") {
  reads(do_read_all_split);
}
CHECK(14_4_3_11, 2, "MPI_File_write: moves the pointer behind the last etype") {
  moves_pointer(do_write);
}
CHECK(14_4_3_12, 2, "MPI_File_write_all: moves the pointer behind the last etype") {
  moves_pointer(do_write_all);
}
CHECK(14_4_3_13, 2, "MPI_File_iwrite: moves the pointer behind the last etype") {
  moves_pointer(do_iwrite);
}
CHECK(14_4_3_14, 2, "MPI_File_iwrite_all: moves the pointer behind the last etype") {
  moves_pointer(do_iwrite_all);
}
CHECK(14_4_3_15, 2, "MPI_File_write_all_begin: moves the pointer behind the last etype") {
  moves_pointer(do_write_all_split);
}
CHECK(14_4_3_16, 2, "MPI_File_read: moves the pointer behind the last etype") {
  moves_pointer(do_read);
}
CHECK(14_4_3_17, 2, "MPI_File_read_all: moves the pointer behind the last etype") {
  moves_pointer(do_read_all);
}
CHECK(14_4_3_18, 2, "MPI_File_iread: moves the pointer behind the last etype") {
  moves_pointer(do_iread);
}
CHECK(14_4_3_19, 2, "MPI_File_iread_all: moves the pointer behind the last etype") {
  moves_pointer(do_iread_all);
}
CHECK(14_4_3_20, 2, "MPI_File_read_all_begin: moves the pointer behind the last etype") {
  moves_pointer(do_read_all_split);
}
CHECK(14_4_3_21, 2, "MPI_File_write: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_write);
}
CHECK(14_4_3_22, 2, "MPI_File_write_all: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_write_all);
}
CHECK(14_4_3_23, 2, "MPI_File_iwrite: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_iwrite);
}
CHECK(14_4_3_24, 2, "MPI_File_iwrite_all: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_iwrite_all);
}
CHECK(14_4_3_25, 2, "MPI_File_write_all_begin: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_write_all_split);
}
CHECK(14_4_3_26, 2, "MPI_File_read: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_read);
}
CHECK(14_4_3_27, 2, "MPI_File_read_all: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_read_all);
}
CHECK(14_4_3_28, 2, "MPI_File_iread: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_iread);
}
CHECK(14_4_3_29, 2, "MPI_File_iread_all: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_iread_all);
}
CHECK(14_4_3_30, 2, "MPI_File_read_all_begin: neither uses nor moves the shared pointer") {
  keeps_shared_pointer(do_read_all_split);
}
CHECK(14_4_3_31, 1, "MPI_File_write: an error if the file is sequential") {
  is_not_sequential(do_write, MPI_MODE_WRONLY);
}
CHECK(14_4_3_32, 1, "MPI_File_write_all: an error if the file is sequential") {
  is_not_sequential(do_write_all, MPI_MODE_WRONLY);
}
CHECK(14_4_3_33, 1, "MPI_File_iwrite: an error if the file is sequential") {
  is_not_sequential(do_iwrite, MPI_MODE_WRONLY);
}
CHECK(14_4_3_34, 1, "MPI_File_iwrite_all: an error if the file is sequential") {
  is_not_sequential(do_iwrite_all, MPI_MODE_WRONLY);
}
CHECK(14_4_3_35, 1, "MPI_File_write_all_begin: an error if the file is sequential") {
  is_not_sequential(do_write_all_split, MPI_MODE_WRONLY);
}
CHECK(14_4_3_36, 1, "MPI_File_read: an error if the file is sequential") {
  is_not_sequential(do_read, MPI_MODE_RDONLY);
}
CHECK(14_4_3_37, 1, "MPI_File_read_all: an error if the file is sequential") {
  is_not_sequential(do_read_all, MPI_MODE_RDONLY);
}
CHECK(14_4_3_38, 1, "MPI_File_iread: an error if the file is sequential") {
  is_not_sequential(do_iread, MPI_MODE_RDONLY);
}
CHECK(14_4_3_39, 1, "MPI_File_iread_all: an error if the file is sequential") {
  is_not_sequential(do_iread_all, MPI_MODE_RDONLY);
}
CHECK(14_4_3_40, 1, "MPI_File_read_all_begin: an error if the file is sequential") {
  is_not_sequential(do_read_all_split, MPI_MODE_RDONLY);
}
CHECK(14_4_3_41, 2, "MPI_File_write_c: the same with a large count") { writes(do_write_c); }
CHECK(14_4_3_42, 2, "MPI_File_write_all_c: the same with a large count") { writes(do_write_all_c); }
CHECK(14_4_3_43, 2, "MPI_File_iwrite_c: the same with a large count") { writes(do_iwrite_c); }
CHECK(14_4_3_44, 2, "MPI_File_iwrite_all_c: the same with a large count") {
  writes(do_iwrite_all_c);
}
CHECK(14_4_3_45, 2, "MPI_File_write_all_begin_c: the same with a large count") {
  writes(do_write_all_split_c);
}
CHECK(14_4_3_46, 2, "MPI_File_read_c: the same with a large count") { reads(do_read_c); }
CHECK(14_4_3_47, 2, "MPI_File_read_all_c: the same with a large count") { reads(do_read_all_c); }
CHECK(14_4_3_48, 2, "MPI_File_iread_c: the same with a large count") { reads(do_iread_c); }
CHECK(14_4_3_49, 2, "MPI_File_iread_all_c: the same with a large count") { reads(do_iread_all_c); }
CHECK(14_4_3_50, 2, "MPI_File_read_all_begin_c: the same with a large count") {
  reads(do_read_all_split_c);
}

CHECK(14_4_3_51, 2, "MPI_SEEK_SET: the pointer is set to the offset, in etypes of the view") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  int data = 0;
  dealt(f, 4, MPI_INT, 1);
  OK(MPI_File_seek(f, 5, MPI_SEEK_SET));
  EQUAL(position(f), 5);
  OK(MPI_File_read(f, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(&data, 4, 4 + 5 * 8 + 4 * rank));
  closed(&f);
}

CHECK(14_4_3_52, 2, "MPI_SEEK_CUR: the offset is added to the pointer, also a negative one") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_seek(f, 5, MPI_SEEK_SET));
  OK(MPI_File_seek(f, 10 + rank, MPI_SEEK_CUR));
  EQUAL(position(f), 15 + rank);
  OK(MPI_File_seek(f, -12, MPI_SEEK_CUR));
  EQUAL(position(f), 3 + rank);
  closed(&f);
}

CHECK(14_4_3_53, 2, "MPI_SEEK_END: the offset is added to the end of the file") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_set_view(f, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_seek(f, -2 - rank, MPI_SEEK_END));
  EQUAL(position(f), 22 - rank);
  OK(MPI_File_seek(f, 3, MPI_SEEK_END));
  EQUAL(position(f), 27);
  closed(&f);
}

CHECK(14_4_3_54, 1, "MPI_SEEK_END with holes: the end is counted in etypes of the view") {
  made(96);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype type = strided(MPI_INT, 1, 3);
  OK(MPI_File_set_view(f, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  OK(MPI_File_seek(f, 0, MPI_SEEK_END));
  EQUAL(position(f), 8);
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_4_3_55, 1, "A seek to a negative position is an error: MPI_SEEK_SET") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_seek(f, 5, MPI_SEEK_SET));
  FAILS(MPI_File_seek(f, -1, MPI_SEEK_SET));
  EQUAL(position(f), 5);
  closed(&f);
}

CHECK(14_4_3_56, 1, "A seek to a negative position is an error: MPI_SEEK_CUR") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  OK(MPI_File_seek(f, 5, MPI_SEEK_SET));
  FAILS(MPI_File_seek(f, -6, MPI_SEEK_CUR));
  EQUAL(position(f), 5);
  closed(&f);
}

CHECK(14_4_3_57, 1, "A seek to a negative position is an error: MPI_SEEK_END") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  FAILS(MPI_File_seek(f, -101, MPI_SEEK_END));
  EQUAL(position(f), 0);
  closed(&f);
}

CHECK(14_4_3_58, 1, "Another kind of seek is an error") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  FAILS(MPI_File_seek(f, 0, 4711));
  closed(&f);
}

CHECK(14_4_3_59, 1, "A seek behind the end is valid, and leaves the size") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDWR);
  OK(MPI_File_seek(f, 1000, MPI_SEEK_SET));
  EQUAL(position(f), 1000);
  closed(&f);
  EQUAL(posix_size(path), 100);
}

CHECK(14_4_3_60, 1, "MPI_File_seek on a sequential file is an error") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  CLASS(MPI_File_seek(f, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
  closed(&f);
}

CHECK(14_4_3_61, 1, "MPI_File_get_position on a sequential file is an error") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  MPI_Offset at = 0;
  CLASS(MPI_File_get_position(f, &at), MPI_ERR_UNSUPPORTED_OPERATION);
  closed(&f);
}

CHECK(14_4_3_62, 2, "MPI_File_get_position and MPI_SEEK_SET return to the same place") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[8];
  OK(MPI_File_read(f, data, 7, MPI_BYTE, MPI_STATUS_IGNORE));
  long long const at = position(f);
  OK(MPI_File_read(f, data, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_seek(f, at, MPI_SEEK_SET));
  OK(MPI_File_read(f, data, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 8, 7));
  closed(&f);
}

CHECK(14_4_3_63, 2, "MPI_File_get_byte_offset: the byte of the file for an offset of the view") {
  MPI_File f = fresh();
  MPI_Offset at = -1;
  dealt(f, 100, MPI_INT, 3);
  OK(MPI_File_get_byte_offset(f, 7, &at));
  EQUAL(at, 100 + 4 * (7 / 3 * 3 * ranks + 3 * rank + 7 % 3));
  closed(&f);
}

CHECK(14_4_3_64, 1, "MPI_File_get_byte_offset is allowed on a sequential file") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  MPI_Offset at = -1;
  OK(MPI_File_get_byte_offset(f, 7, &at));
  EQUAL(at, 7);
  closed(&f);
}

CHECK(14_4_3_65, 1, "Reading until the end: the count of the last read is smaller, then zero") {
  made(25);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[10];
  MPI_Status status;
  int const wanted[] = {10, 10, 5, 0};
  for (int i = 0; i < 4; ++i) {
    OK(MPI_File_read(f, data, 10, MPI_BYTE, &status));
    EQUAL(count_of(&status, MPI_BYTE), wanted[i]);
    EXPECT(patterned(data, (size_t)wanted[i], 10 * i));
  }
  closed(&f);
}
