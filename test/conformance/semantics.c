// Sections 14.6.5 to 14.6.10 of MPI 4.1: nonblocking collective calls, lifetimes, offsets, sizes.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "access.h"

CHECK(14_6_5_01, 2, "Several nonblocking collective calls of one file may be pending") {
  MPI_File f = fresh();
  MPI_Request r[4];
  int data[4];
  for (int i = 0; i < 4; ++i) {
    data[i] = 10 * i + rank;
    OK(MPI_File_iwrite_at_all(f, 4 * (2 * i + rank), &data[i], 1, MPI_INT, &r[i]));
  }
  OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
  closed(&f);
  for (int i = 0; i < 4; ++i) EXPECT(file_has(4 * (2 * i + rank), &data[i], 4));
}

CHECK(14_6_5_02, 2, "Nonblocking collective calls may be completed in any order") {
  MPI_File f = fresh();
  MPI_Request r[2];
  int const data[2] = {rank, 10 + rank};
  OK(MPI_File_iwrite_at_all(f, 4 * rank, &data[0], 1, MPI_INT, &r[0]));
  OK(MPI_File_iwrite_at_all(f, 8 + 4 * rank, &data[1], 1, MPI_INT, &r[1]));
  OK(MPI_Wait(&r[1 - rank], MPI_STATUS_IGNORE));
  OK(MPI_Wait(&r[rank], MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(4 * rank, &data[0], 4) && file_has(8 + 4 * rank, &data[1], 4));
}

CHECK(14_6_5_03, 2, "Nonblocking collective calls of two files begin in different orders") {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_File f = fresh(), g = opened_by(other, MPI_MODE_RDWR);
  MPI_Request r[2];
  int const data[2] = {1 + rank, 11 + rank};
  for (int i = 0; i < 2; ++i) {
    int const which = i ^ rank;
    OK(MPI_File_iwrite_at_all(which == 0 ? f : g, 8 * which + 4 * rank, &data[which], 1, MPI_INT,
                              &r[which]));
  }
  OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
  closed(&g);
  closed(&f);
  MPI_Comm_free(&other);
  EXPECT(file_has(4 * rank, &data[0], 4) && file_has(8 + 4 * rank, &data[1], 4));
}

CHECK(14_6_6_01, 1, "Data that was written as one type may be read as bytes") {
  MPI_File f = fresh();
  double const value = 3.25;
  unsigned char back[8];
  OK(MPI_File_write_at(f, 0, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 0, back, 8, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(memcmp(back, &value, 8) == 0);
  closed(&f);
}

CHECK(14_6_7_01, 2, "The communicator may be freed after the open") {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_File f = opened_by(comm, MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Comm_free(&comm);
  OK(MPI_File_write_at_all(f, rank, "ab", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_write_ordered(f, "ab", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
}

CHECK(14_6_7_02, 1, "Etype and filetype may be freed after MPI_File_set_view") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  MPI_Datatype pair, type;
  char data[8];
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  type = strided(pair, 1, 2);
  OK(MPI_File_set_view(f, 0, pair, type, "native", MPI_INFO_NULL));
  MPI_Type_free(&pair);
  MPI_Type_free(&type);
  OK(MPI_File_read_at(f, 2, data, 2, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 8, 32));
  closed(&f);
}

CHECK(14_6_7_03, 1, "The datatype may be freed while a nonblocking call is pending") {
  MPI_File f = fresh();
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  int const data[4] = {1, -1, 2, -1}, wanted[2] = {1, 2};
  MPI_Request r;
  OK(MPI_File_iwrite_at(f, 0, data, 2, type, &r));
  MPI_Type_free(&type);
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(0, wanted, 8));
}

CHECK(14_6_8_01, 1, "MPI_Offset: data at an offset behind 4 GiB") {
  MPI_File f = fresh();
  MPI_Offset const at = ((MPI_Offset)1 << 32) + 5;
  char back[3] = "";
  OK(MPI_File_write_at(f, at, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, at, back, 3, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT(memcmp(back, "abc", 3) == 0);
  EQUAL(size_of(f), at + 3);
  closed(&f);
}

CHECK(14_6_8_02, 2, "MPI_Offset: a view whose displacement is behind 4 GiB, collectively") {
  MPI_File f = fresh();
  MPI_Offset const at = (MPI_Offset)5 << 30;
  int const value = 5 + rank;
  dealt(f, at, MPI_INT, 1);
  OK(MPI_File_write_at_all(f, 1, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(at + 8 + 4 * rank, &value, 4));
}

CHECK(14_6_8_03, 1, "MPI_Offset: pointers behind 4 GiB") {
  MPI_File f = fresh();
  MPI_Offset const at = (MPI_Offset)3 << 31;
  OK(MPI_File_seek(f, at, MPI_SEEK_SET));
  OK(MPI_File_write(f, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  EQUAL(position(f), at + 3);
  OK(MPI_File_seek_shared(f, at, MPI_SEEK_SET));
  OK(MPI_File_write_shared(f, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  EQUAL(position_shared(f), at + 3);
  closed(&f);
}

CHECK(14_6_10_01, 1, "The size is the last byte that was written, and one") {
  MPI_File f = fresh();
  OK(MPI_File_write_at(f, 10, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_write_at(f, 4, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  EQUAL(size_of(f), 11);
  closed(&f);
}

CHECK(14_6_10_02, 1, "Reading and seeking leave the size") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR);
  char data[30];
  OK(MPI_File_read_at(f, 5, data, 30, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_seek(f, 500, MPI_SEEK_SET));
  EQUAL(size_of(f), 10);
  closed(&f);
  EQUAL(posix_size(path), 10);
}

CHECK(14_6_10_03, 2, "A collective write changes the size to its last byte, not further") {
  MPI_File f = fresh();
  MPI_Datatype type = strided(MPI_INT, 1, 64);
  int const data[3] = {1, 2, 3};
  OK(MPI_File_set_view(f, 100 * rank, MPI_INT, type, "native", MPI_INFO_NULL));
  OK(MPI_File_write_all(f, data, 3, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  closed(&f);
  barrier();
  EQUAL(posix_size(path), 100 + 2 * 256 + 4);
}
