// Section 14.4.5 of MPI 4.1: split collective calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "access.h"

CHECK(14_4_5_01, 2, "Between begin and end, noncollective calls of the file are allowed") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[10], other[5];
  OK(MPI_File_read_all_begin(f, data, 10, MPI_BYTE));
  OK(MPI_File_read_at(f, 40, other, 5, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_all_end(f, data, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 10, 0) && patterned(other, 5, 40));
  closed(&f);
}

CHECK(14_4_5_02, 2, "A file has one split call at a time: a second begin is an error") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[10], other[5];
  OK(MPI_File_read_at_all_begin(f, 0, data, 10, MPI_BYTE));
  FAILS(MPI_File_read_at_all_begin(f, 40, other, 5, MPI_BYTE));
  OK(MPI_File_read_at_all_end(f, data, MPI_STATUS_IGNORE));
  closed(&f);
}

CHECK(14_4_5_03, 2, "An end without a begin is an error") {
  MPI_File f = fresh();
  char data[10];
  FAILS(MPI_File_read_all_end(f, data, MPI_STATUS_IGNORE));
  closed(&f);
}

CHECK(14_4_5_04, 2, "An end of another kind than the begin is an error") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[10];
  OK(MPI_File_read_all_begin(f, data, 10, MPI_BYTE));
  FAILS(MPI_File_read_ordered_end(f, data, MPI_STATUS_IGNORE));
  OK(MPI_File_read_all_end(f, data, MPI_STATUS_IGNORE));
  closed(&f);
}

CHECK(14_4_5_05, 2, "Two files may have a split call each at one time") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY), g = opened(MPI_MODE_RDONLY);
  char data[10], other[10];
  OK(MPI_File_read_at_all_begin(f, 0, data, 10, MPI_BYTE));
  OK(MPI_File_read_at_all_begin(g, 40, other, 10, MPI_BYTE));
  OK(MPI_File_read_at_all_end(g, other, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all_end(f, data, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 10, 0) && patterned(other, 10, 40));
  closed(&f);
  closed(&g);
}

CHECK(14_4_5_06, 2, "The status of the end call has the count") {
  made(15);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[10];
  MPI_Status status;
  OK(MPI_File_read_at_all_begin(f, 10 * rank, data, 10, MPI_BYTE));
  OK(MPI_File_read_at_all_end(f, data, &status));
  EQUAL(count_of(&status, MPI_BYTE), rank == 0 ? 10 : 5);
  closed(&f);
}

CHECK(14_4_5_07, 2, "A nonblocking call may be pending while a split call is") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[10], other[10];
  MPI_Request request;
  OK(MPI_File_iread_at(f, 50, other, 10, MPI_BYTE, &request));
  OK(MPI_File_read_all_begin(f, data, 10, MPI_BYTE));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_File_read_all_end(f, data, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 10, 0) && patterned(other, 10, 50));
  closed(&f);
}

CHECK(14_4_5_08, 3, "Split calls one after the other: each is as the collective call") {
  MPI_File f = fresh();
  int mine[3], back[3] = {0};
  for (int i = 0; i < 3; ++i) {
    mine[i] = 10 * rank + i;
    OK(MPI_File_write_at_all_begin(f, 4 * (3 * rank + i), &mine[i], 1, MPI_INT));
    OK(MPI_File_write_at_all_end(f, &mine[i], MPI_STATUS_IGNORE));
  }
  OK(MPI_File_read_at_all_begin(f, 12 * rank, back, 3, MPI_INT));
  OK(MPI_File_read_at_all_end(f, back, MPI_STATUS_IGNORE));
  EXPECT(memcmp(mine, back, 12) == 0);
  closed(&f);
}

CHECK(14_4_5_09, 2, "A collective call while a split one is pending is an error, or succeeds") {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  char data[10], other[10];
  OK(MPI_File_read_at_all_begin(f, 0, data, 10, MPI_BYTE));
  if (MPI_File_read_at_all(f, 50, other, 10, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS)
    EXPECT(patterned(other, 10, 50));
  OK(MPI_File_read_at_all_end(f, data, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 10, 0));
  closed(&f);
}
