// Sections 14.6.1 to 14.6.4 of MPI 4.1: consistency, progress, order.
// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>
#include <unistd.h>

#include "access.h"

// sync, barrier, sync: after this, all ranks see what all have written.
static void meet(MPI_File f) {
  OK(MPI_File_sync(f));
  barrier();
  OK(MPI_File_sync(f));
}

CHECK(14_6_1_01, 1, "A process reads what it has written, without any other call") {
  MPI_File f = fresh();
  char back[3] = "";
  OK(MPI_File_write_at(f, 5, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 5, back, 3, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT(memcmp(back, "abc", 3) == 0);
  closed(&f);
}

CHECK(14_6_1_02, 1,
      "A process reads by a shared or collective call what it has written by another") {
  MPI_File f = fresh();
  char back[3] = "";
  OK(MPI_File_write_shared(f, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(f, 0, back, 3, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT(memcmp(back, "abc", 3) == 0);
  closed(&f);
}

CHECK(14_6_1_03, 2, "Atomic mode: after a barrier, others read what was written") {
  MPI_File f = fresh();
  int const value = 42;
  int back = 0;
  OK(MPI_File_set_atomicity(f, 1));
  if (rank == 0) OK(MPI_File_write_at(f, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  barrier();
  if (rank == 1) {
    OK(MPI_File_read_at(f, 0, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
    EQUAL(back, 42);
  }
  closed(&f);
}

CHECK(14_6_1_04, 2, "Nonatomic mode: after sync, barrier, sync, others read what was written") {
  MPI_File f = fresh();
  int const value = 42;
  int back = 0;
  if (rank == 0) OK(MPI_File_write_at(f, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  meet(f);
  if (rank == 1) {
    OK(MPI_File_read_at(f, 0, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
    EQUAL(back, 42);
  }
  closed(&f);
}

CHECK(14_6_1_05, 2, "Between two opens: write, close, barrier, open, read") {
  if (rank == 0) {
    MPI_File f = opened_by(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    OK(MPI_File_write_at(f, 0, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
    closed(&f);
  }
  barrier();
  if (rank == 1) {
    char back[3] = "";
    MPI_File f = opened_by(MPI_COMM_SELF, MPI_MODE_RDONLY);
    OK(MPI_File_read_at(f, 0, back, 3, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT(memcmp(back, "abc", 3) == 0);
    closed(&f);
  }
}

CHECK(14_6_1_06, 2, "Between two open files: write, sync, barrier, sync, read") {
  MPI_File f = fresh(), g = opened(MPI_MODE_RDONLY);
  char back[3] = "";
  if (rank == 0) OK(MPI_File_write_at(f, 0, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(f));
  barrier();
  OK(MPI_File_sync(g));
  OK(MPI_File_read_at(g, 0, back, 3, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT(memcmp(back, "abc", 3) == 0);
  closed(&g);
  closed(&f);
}

CHECK(14_6_1_07, 4, "Atomic mode: of concurrent overlapping writes, one is there as a whole") {
  MPI_File f = fresh();
  static unsigned char data[65536];
  OK(MPI_File_set_atomicity(f, 1));
  for (int turn = 0; turn < 5; ++turn) {
    memset(data, 1 + rank, sizeof data);
    OK(MPI_File_write_at(f, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE));
    barrier();
    OK(MPI_File_read_at(f, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(data[0] >= 1 && data[0] <= 4 && all_are(data, sizeof data, data[0]));
    barrier();
  }
  closed(&f);
}

CHECK(14_6_1_08, 3, "Atomic mode: the same for writes in pieces") {
  MPI_File f = fresh();
  static int data[2048];
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  OK(MPI_File_set_atomicity(f, 1));
  OK(MPI_File_set_view(f, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 2048; ++i) data[i] = 1 + rank;
    OK(MPI_File_write_at(f, 0, data, 2048, MPI_INT, MPI_STATUS_IGNORE));
    barrier();
    OK(MPI_File_read_at(f, 0, data, 2048, MPI_INT, MPI_STATUS_IGNORE));
    int same = 1;
    for (int i = 0; i < 2048; ++i) same &= data[i] == data[0];
    EXPECT(same && data[0] >= 1 && data[0] <= 3);
    barrier();
  }
  MPI_Type_free(&type);
  closed(&f);
}

CHECK(14_6_1_09, 2, "MPI_File_set_atomicity and MPI_File_get_atomicity agree") {
  MPI_File f = fresh();
  int flag = -1;
  OK(MPI_File_set_atomicity(f, 1));
  OK(MPI_File_get_atomicity(f, &flag));
  EXPECT(flag != 0);
  OK(MPI_File_set_atomicity(f, 0));
  OK(MPI_File_get_atomicity(f, &flag));
  EQUAL(flag, 0);
  closed(&f);
}

CHECK(14_6_1_10, 2, "Atomicity belongs to the open file, not to the name") {
  MPI_File f = fresh(), g = opened(MPI_MODE_RDWR);
  int flag = -1;
  OK(MPI_File_set_atomicity(f, 1));
  OK(MPI_File_get_atomicity(g, &flag));
  EQUAL(flag, 0);
  closed(&f);
  closed(&g);
}

CHECK(14_6_1_11, 2, "Flags of MPI_File_set_atomicity that differ are an error") {
  MPI_File f = fresh();
  FAILS(MPI_File_set_atomicity(f, rank));
  closed(&f);
}

CHECK(14_6_1_12, 2, "MPI_File_sync moves the writes of the caller to the file") {
  MPI_File f = fresh();
  OK(MPI_File_write_at(f, rank, "ab", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(f));
  EQUAL(byte_at(rank), 'a');
  closed(&f);
}

CHECK(14_6_1_13, 2, "MPI_File_sync with nothing written, and of a file for reading only") {
  made(10);
  MPI_File f = opened(MPI_MODE_RDWR), g = opened(MPI_MODE_RDONLY);
  OK(MPI_File_sync(f));
  OK(MPI_File_sync(g));
  closed(&f);
  closed(&g);
}

CHECK(14_6_1_14, 4, "Atomic mode and views: ranks between each other, all data is there") {
  MPI_File f = fresh();
  int data[50], back[50];
  OK(MPI_File_set_atomicity(f, 1));
  dealt(f, 0, MPI_INT, 1);
  for (int i = 0; i < 50; ++i) data[i] = rank * 100 + i;
  OK(MPI_File_write_all(f, data, 50, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(f, 0, back, 50, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(memcmp(data, back, sizeof data) == 0);
  closed(&f);
  EQUAL(posix_size(path), 800);
}

CHECK(14_6_1_15, 4, "Nonatomic mode: concurrent writes that do not overlap lose nothing") {
  MPI_File f = fresh();
  int data[50], back[50];
  dealt(f, 0, MPI_INT, 1);
  for (int i = 0; i < 50; ++i) data[i] = rank * 100 + i;
  OK(MPI_File_write(f, data, 50, MPI_INT, MPI_STATUS_IGNORE));
  meet(f);
  OK(MPI_File_read_at(f, 0, back, 50, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT(memcmp(data, back, sizeof data) == 0);
  closed(&f);
}

CHECK(14_6_2_01, 2, "A sequential file: ranks write in turn, in the order of their calls") {
  MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
  for (int turn = 0; turn < 4; ++turn) {
    if (turn % 2 == rank) {
      char const c = (char)('a' + turn);
      OK(MPI_File_write_shared(f, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    }
    barrier();
  }
  closed(&f);
  EXPECT(file_has(0, "abcd", 4));
}

CHECK(14_6_2_02, 2, "A sequential file: ordered calls") {
  MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
  OK(MPI_File_write_ordered(f, rank == 0 ? "ab" : "cd", 2, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  barrier();
  EXPECT(file_has(0, "abcd", 4));
}

CHECK(14_6_3_01, 2, "Nonblocking calls end although the other rank calls nothing of MPI") {
  MPI_File f = fresh();
  if (rank == 0) {
    MPI_Request r;
    OK(MPI_File_iwrite_at(f, 0, "abc", 3, MPI_CHAR, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  } else {
    usleep(200000);
  }
  closed(&f);
}

CHECK(14_6_3_02, 2, "A message arrives while a collective call waits for its rank") {
  MPI_File f = fresh();
  int const sent = 7;
  int got = -1;
  MPI_Request r;
  if (rank == 0) {
    MPI_Isend(&sent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
    OK(MPI_File_write_at_all(f, 0, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EQUAL(got, 7);
    OK(MPI_File_write_at_all(f, 1, "b", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  }
  closed(&f);
}

CHECK(14_6_4_01, 3, "Collective calls of one file are made in one order, and match in it") {
  MPI_File f = fresh();
  int back[3];
  for (int i = 0; i < 5; ++i) {
    int const value = 10 * i + rank;
    OK(MPI_File_write_at_all(f, rank, &value, 0, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_all(f, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    meet(f);
    OK(MPI_File_read_at_all(f, 0, back, 3, MPI_INT, MPI_STATUS_IGNORE));
    for (int r = 0; r < 3; ++r) EQUAL(back[r], 10 * i + r);
    barrier();
  }
  closed(&f);
}

CHECK(14_6_4_02, 2, "Collective calls and collective calls of a communicator do not mix up") {
  MPI_File f = fresh();
  int sum = 0;
  OK(MPI_File_write_at_all(f, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  OK(MPI_File_write_at_all(f, 8 + 4 * rank, &sum, 1, MPI_INT, MPI_STATUS_IGNORE));
  EQUAL(sum, 1);
  closed(&f);
}
