// Sections 14.1 and 14.2.1 of MPI 4.1: opening a file.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

CHECK(14_1_1_01, 2, "The default view is a linear byte stream: 0, MPI_BYTE, MPI_BYTE") {
  MPI_File f = fresh();
  MPI_Offset disp = -1;
  MPI_Datatype etype, filetype;
  char datarep[MPI_MAX_DATAREP_STRING];
  OK(MPI_File_get_view(f, &disp, &etype, &filetype, datarep));
  EQUAL(disp, 0);
  EXPECT(etype == MPI_BYTE && filetype == MPI_BYTE);
  EXPECT(strcmp(datarep, "native") == 0);
  closed(&f);
}

CHECK(14_1_1_02, 1, "A filetype is a template that is repeated through the file") {
  MPI_File f = fresh();
  int data[5] = {1, 2, 3, 4, 5}, back[10] = {0};
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  OK(MPI_File_set_view(f, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  OK(MPI_File_write_at(f, 0, data, 5, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_read_at(f, 0, back, 9, MPI_INT, MPI_STATUS_IGNORE));
  for (int i = 0; i < 5; ++i) EQUAL(back[2 * i], i + 1);
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_1_1_03, 1, "An offset counts etypes of the view, and skips its holes") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype type = strided(MPI_INT, 1, 4);
  unsigned char data[4];
  OK(MPI_File_set_view(f, 4, MPI_INT, type, "native", MPI_INFO_NULL));
  OK(MPI_File_read_at(f, 2, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 4, 4 + 2 * 16));
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_1_1_04, 1, "Offset 0 is the first etype of the view, behind initial holes") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  int const lengths[] = {1}, displacements[] = {3};
  MPI_Datatype indexed, type;
  MPI_Type_indexed(1, lengths, displacements, MPI_INT, &indexed);
  MPI_Type_create_resized(indexed, 0, 24, &type);
  MPI_Type_commit(&type);
  unsigned char data[4];
  MPI_Offset at = -1;
  OK(MPI_File_set_view(f, 4, MPI_INT, type, "native", MPI_INFO_NULL));
  OK(MPI_File_read_at(f, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 4, 16));
  OK(MPI_File_get_byte_offset(f, 0, &at));
  EQUAL(at, 16);
  MPI_Type_free(&indexed);
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_1_1_05, 2, "The size of a new file is zero") {
  MPI_File f = fresh();
  EQUAL(size_of(f), 0);
  closed(&f);
  EQUAL(posix_size(path), 0);
}

CHECK(14_1_1_06, 1, "The end of a file is the first etype of the view behind the last byte") {
  made(18);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  OK(MPI_File_set_view(f, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  // Ints of the view begin at bytes 0, 8, 16, 24. Byte 17 is the last one of the file.
  OK(MPI_File_seek(f, 0, MPI_SEEK_END));
  EQUAL(position(f), 3);
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_1_1_07, 2, "Individual pointers belong to a process, the shared one to all of a file") {
  made(64);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[8];
  if (rank == 0) OK(MPI_File_read(f, data, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  if (rank == 0) OK(MPI_File_read_shared(f, data, 5, MPI_BYTE, MPI_STATUS_IGNORE));
  barrier();
  EQUAL(position(f), rank == 0 ? 8 : 0);
  EQUAL(position_shared(f), 5);
  barrier();
  closed(&f);
}

CHECK(14_2_1_01, 3, "Opens the file on all processes of the communicator") {
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
  EXPECT(f != MPI_FILE_NULL);
  OK(MPI_File_write_at(f, rank, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  EQUAL(posix_size(path), 3);
}

CHECK(14_2_1_02, 2, "A process opens a file by itself with MPI_COMM_SELF") {
  if (rank == 1) {
    MPI_File f = opened_by(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    OK(MPI_File_write(f, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
    closed(&f);
    EQUAL(posix_size(path), 3);
  }
}

CHECK(14_2_1_03, 3, "Processes outside of the communicator take no part") {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, rank, &part);
  if (part != MPI_COMM_NULL) {
    MPI_File f = opened_by(part, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_write_at_all(f, rank, "abc", 1, MPI_CHAR, MPI_STATUS_IGNORE));
    closed(&f);
    EQUAL(posix_size(path), 3);
    MPI_Comm_free(&part);
  }
}

CHECK(14_2_1_04, 2, "An intercommunicator is erroneous: MPI_ERR_COMM") {
  MPI_Comm inter;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 1, &inter);
  MPI_File f = MPI_FILE_NULL;
  CLASS(MPI_File_open(inter, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f),
        MPI_ERR_COMM);
  MPI_Comm_free(&inter);
}

CHECK(14_2_1_05, 2, "Processes may name one file by different texts") {
  char name[1100];
  snprintf(name, sizeof name, rank == 0 ? "%s/file.dat" : "%s/./file.dat", directory);
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
  OK(MPI_File_write_at_all(f, rank, "ab", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  EQUAL(posix_size(path), 2);
}

CHECK(14_2_1_06, 2, "Values of info may vary between processes") {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "access_style", rank == 0 ? "read_once" : "random");
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
  closed(&f);
  MPI_Info_free(&info);
}

CHECK(14_2_1_07, 2, "The handle is used until MPI_File_close, by any access") {
  MPI_File f = fresh();
  OK(MPI_File_write_at(f, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(f));
  int back = -1;
  OK(MPI_File_read_at(f, rank * 4, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  EQUAL(back, rank);
  closed(&f);
}

CHECK(14_2_1_08, 2, "The communicator stays usable, and its messages are not disturbed") {
  int sent = 100 + rank, got = -1;
  MPI_Request receive;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receive);
  MPI_File f = fresh();
  OK(MPI_File_write_at_all(f, rank * 4, &sent, 1, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Send(&sent, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  EQUAL(got, 100 + 1 - rank);
  closed(&f);
}

CHECK(14_2_1_09, 2, "At first there is no conversion: data is in native representation") {
  MPI_File f = fresh();
  int const value = 0x01020304 + rank;
  OK(MPI_File_write_at(f, rank * 4, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(rank * 4, &value, 4));
}

CHECK(14_2_1_10, 1, "MPI_MODE_RDONLY: reading succeeds, writing fails") {
  made(8);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[8];
  OK(MPI_File_read_at(f, 0, data, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 8, 0));
  FAILS(MPI_File_write_at(f, 0, "x", 1, MPI_BYTE, MPI_STATUS_IGNORE));
  closed(&f);
  EQUAL(byte_at(0), pattern(0));
}

CHECK(14_2_1_11, 1, "MPI_MODE_RDWR: reading and writing succeed") {
  made(8);
  MPI_File f = opened(MPI_MODE_RDWR);
  char data[8];
  OK(MPI_File_write_at(f, 3, "x", 1, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 0, data, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 3, 0) && data[3] == 'x' && patterned(data + 4, 4, 4));
  closed(&f);
}

CHECK(14_2_1_12, 1, "MPI_MODE_WRONLY: writing succeeds, reading fails") {
  made(8);
  MPI_File f = opened(MPI_MODE_WRONLY);
  char data[8];
  OK(MPI_File_write_at(f, 3, "x", 1, MPI_BYTE, MPI_STATUS_IGNORE));
  FAILS(MPI_File_read_at(f, 0, data, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  closed(&f);
  EQUAL(byte_at(3), 'x');
}

CHECK(14_2_1_13, 2, "MPI_MODE_CREATE creates the file if there is none") {
  EQUAL(posix_size(path), -1);
  barrier();
  MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_WRONLY);
  EQUAL(posix_size(path), 0);
  closed(&f);
}

CHECK(14_2_1_14, 2, "MPI_MODE_CREATE leaves the bytes of a file that is there") {
  made(10);
  MPI_File f = fresh();
  char data[10];
  EQUAL(size_of(f), 10);
  OK(MPI_File_read_at(f, 0, data, 10, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 10, 0));
  closed(&f);
}

CHECK(14_2_1_15, 2, "MPI_MODE_EXCL: an error if the file is there, MPI_ERR_FILE_EXISTS") {
  made(10);
  MPI_File f = MPI_FILE_NULL;
  int const code = MPI_File_open(
      MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  FAILS(code);
  EXPECT(on_any_rank(class_of(code) == MPI_ERR_FILE_EXISTS));
  EQUAL(posix_size(path), 10);
}

CHECK(14_2_1_16, 3, "MPI_MODE_EXCL: all processes open a file that they create together") {
  MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR);
  EXPECT(f != MPI_FILE_NULL);
  closed(&f);
  EQUAL(posix_size(path), 0);
}

CHECK(14_2_1_17, 2, "MPI_MODE_DELETE_ON_CLOSE deletes the file when it is closed") {
  MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  EQUAL(posix_size(path), 0);
  barrier();
  closed(&f);
  barrier();
  EQUAL(posix_size(path), -1);
}

CHECK(14_2_1_18, 1, "MPI_MODE_UNIQUE_OPEN is accepted, and the file is read and written") {
  MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN);
  char back = 0;
  OK(MPI_File_write_at(f, 0, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 0, &back, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  EQUAL(back, 'a');
  closed(&f);
}

CHECK(14_2_1_19, 2, "MPI_MODE_APPEND: individual pointers begin at the end of the file") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR | MPI_MODE_APPEND);
  EQUAL(position(f), 10);
  if (rank == 0) OK(MPI_File_write(f, "ab", 2, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  barrier();
  EQUAL(byte_at(10), 'a');
  EQUAL(byte_at(9), pattern(9));
}

CHECK(14_2_1_20, 2, "MPI_MODE_APPEND: the shared pointer begins at the end of the file") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR | MPI_MODE_APPEND);
  EQUAL(position_shared(f), 10);
  barrier();
  OK(MPI_File_write_ordered(f, rank == 0 ? "a" : "b", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  barrier();
  EQUAL(byte_at(10), 'a');
  EQUAL(byte_at(11), 'b');
}

CHECK(14_2_1_21, 2, "A mode without RDONLY, RDWR and WRONLY is MPI_ERR_AMODE") {
  MPI_File f = MPI_FILE_NULL;
  CLASS(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE, MPI_INFO_NULL, &f), MPI_ERR_AMODE);
}

CHECK(14_2_1_22, 2, "A mode with two of RDONLY, RDWR and WRONLY is MPI_ERR_AMODE") {
  made(1);
  MPI_File f = MPI_FILE_NULL;
  CLASS(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_WRONLY, MPI_INFO_NULL, &f),
        MPI_ERR_AMODE);
}

CHECK(14_2_1_23, 2, "MPI_MODE_CREATE with MPI_MODE_RDONLY is MPI_ERR_AMODE") {
  MPI_File f = MPI_FILE_NULL;
  CLASS(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDONLY, MPI_INFO_NULL, &f),
        MPI_ERR_AMODE);
  EQUAL(posix_size(path), -1);
}

CHECK(14_2_1_24, 2, "MPI_MODE_EXCL with MPI_MODE_RDONLY is MPI_ERR_AMODE") {
  MPI_File f = MPI_FILE_NULL;
  CLASS(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_EXCL | MPI_MODE_RDONLY, MPI_INFO_NULL, &f),
        MPI_ERR_AMODE);
}

CHECK(14_2_1_25, 2, "MPI_MODE_SEQUENTIAL with MPI_MODE_RDWR is MPI_ERR_AMODE") {
  made(1);
  MPI_File f = MPI_FILE_NULL;
  CLASS(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_SEQUENTIAL | MPI_MODE_RDWR, MPI_INFO_NULL, &f),
        MPI_ERR_AMODE);
}

CHECK(14_2_1_26, 2, "A file that is not there is MPI_ERR_NO_SUCH_FILE without MPI_MODE_CREATE") {
  MPI_File f = MPI_FILE_NULL;
  CLASS(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &f),
        MPI_ERR_NO_SUCH_FILE);
  EQUAL(posix_size(path), -1);
}

CHECK(14_2_1_27, 2, "A file is opened in nonatomic mode") {
  MPI_File f = fresh();
  int flag = -1;
  OK(MPI_File_get_atomicity(f, &flag));
  EQUAL(flag, 0);
  closed(&f);
}

CHECK(14_2_1_28, 2, "One file may be open several times, with pointers of their own") {
  made(20);
  MPI_File f = opened(MPI_MODE_RDONLY), g = opened(MPI_MODE_RDONLY);
  char data[6];
  OK(MPI_File_read(f, data, 5, MPI_BYTE, MPI_STATUS_IGNORE));
  EQUAL(position(g), 0);
  OK(MPI_File_read_ordered(f, data, 3, MPI_BYTE, MPI_STATUS_IGNORE));
  EQUAL(position_shared(g), 0);
  closed(&f);
  OK(MPI_File_read(g, data, 6, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 6, 0));
  closed(&g);
}

CHECK(14_2_1_29, 2, "Ranks of the file are those of the communicator, also in another order") {
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  MPI_File f = opened_by(turned, MPI_MODE_CREATE | MPI_MODE_RDWR);
  char const mine = (char)('0' + rank);
  OK(MPI_File_write_ordered(f, &mine, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  MPI_Comm_free(&turned);
  barrier();
  EQUAL(byte_at(0), '1');
  EQUAL(byte_at(1), '0');
}

CHECK(14_2_1_30, 2, "MPI_INFO_NULL is a valid argument") {
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
  closed(&f);
}

CHECK(14_2_1_31, 1, "A failed open leaves no file open: the next one succeeds") {
  MPI_File f = MPI_FILE_NULL;
  FAILS(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &f));
  f = fresh();
  closed(&f);
}

CHECK(14_2_1_32, 1, "MPI_MODE_SEQUENTIAL with MPI_MODE_WRONLY: data is written in turn") {
  MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
  OK(MPI_File_write_shared(f, "ab", 2, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_write_shared(f, "c", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(0, "abc", 3));
}

CHECK(14_2_1_33, 1, "MPI_MODE_SEQUENTIAL with MPI_MODE_RDONLY: data is read in turn") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  char data[5];
  OK(MPI_File_read_shared(f, data, 5, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_shared(f, data, 5, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 5, 5));
  closed(&f);
}
