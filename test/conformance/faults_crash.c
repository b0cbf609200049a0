// Faults: a rank ends at each step of a program. The job has to end; each check has a second part
// that looks at the file afterwards. Then writers that write into the holes of others.
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "access.h"

static void end_of_rank_1(void) {
  if (rank == 1) raise(SIGKILL);
}
// A file with 1000 bytes of each rank, which are synchronized.
static MPI_File synchronized(void) {
  MPI_File f = fresh();
  unsigned char data[1000];
  fill(data, 1000, 1000 * rank);
  OK(MPI_File_write_at_all(f, 1000 * rank, data, 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(f));
  barrier();
  return f;
}
static void is_still_there(void) {
  unsigned char wanted[2000];
  fill(wanted, 2000, 0);
  EXPECT(file_has(0, wanted, 2000));
}
// The job must have ended: what comes behind the crash is not reached by all ranks.
static void must_not_be_reached(void) {
  barrier();
  EXPECT(!"the job went on without a rank");
}

CHECK(F_crash_01, 2, "A rank ends before MPI_File_open: the job ends") {
  end_of_rank_1();
  MPI_File f = fresh();
  closed(&f);
  must_not_be_reached();
}
CHECK(F_crash_01_after, 1, "afterwards") { EXPECT(posix_size(path) <= 0); }

CHECK(F_crash_02, 2, "A rank ends before MPI_File_set_view: the job ends, data stays") {
  MPI_File f = synchronized();
  end_of_rank_1();
  MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  must_not_be_reached();
}
CHECK(F_crash_02_after, 1, "afterwards") { is_still_there(); }

CHECK(F_crash_03, 2, "A rank ends before a collective write: the job ends, data stays") {
  MPI_File f = synchronized();
  end_of_rank_1();
  MPI_File_write_at_all(f, 5000, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE);
  must_not_be_reached();
}
CHECK(F_crash_03_after, 1, "afterwards") { is_still_there(); }

CHECK(F_crash_04, 2,
      "A rank ends between begin and end of a split call: the job ends, data stays") {
  MPI_File f = synchronized();
  char data[3] = "ab";
  MPI_File_write_at_all_begin(f, 5000 + 3 * rank, data, 3, MPI_CHAR);
  end_of_rank_1();
  MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE);
  must_not_be_reached();
}
CHECK(F_crash_04_after, 1, "afterwards") { is_still_there(); }

CHECK(F_crash_05, 2, "A rank ends before MPI_File_sync: the job ends, data stays") {
  MPI_File f = synchronized();
  end_of_rank_1();
  MPI_File_sync(f);
  must_not_be_reached();
}
CHECK(F_crash_05_after, 1, "afterwards") { is_still_there(); }

CHECK(F_crash_06, 2, "A rank ends before MPI_File_close: the job ends, data stays") {
  MPI_File f = synchronized();
  end_of_rank_1();
  MPI_File_close(&f);
  must_not_be_reached();
}
CHECK(F_crash_06_after, 1, "afterwards") { is_still_there(); }

CHECK(F_crash_07, 2, "A rank ends before an ordered write: the job ends, data stays") {
  MPI_File f = synchronized();
  OK(MPI_File_seek_shared(f, 5000, MPI_SEEK_SET));
  end_of_rank_1();
  MPI_File_write_ordered(f, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE);
  must_not_be_reached();
}
CHECK(F_crash_07_after, 1, "afterwards") { is_still_there(); }

CHECK(F_crash_08, 2, "A rank ends within a write of its own: the job ends, data stays") {
  MPI_File f = synchronized();
  static unsigned char data[100000];
  struct rlimit low = {6000, 6000};
  if (rank == 1) {
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &low);  // the kernel ends the process at byte 6000
    MPI_File_write_at(f, 2000, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(f, 8000, data, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    raise(SIGKILL);
  }
  must_not_be_reached();
}
CHECK(F_crash_08_after, 1, "afterwards") { is_still_there(); }

CHECK(F_crash_09, 2, "A rank ends while nonblocking calls are pending: the job ends, data stays") {
  MPI_File f = synchronized();
  MPI_Request r;
  MPI_File_iwrite_at_all(f, 5000 + 3 * rank, "abc", 3, MPI_CHAR, &r);
  end_of_rank_1();
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  must_not_be_reached();
}
CHECK(F_crash_09_after, 1, "afterwards") { is_still_there(); }

// Two ranks write every other block at the same time, each in the holes of the other. All is there.
static void fills_holes(MPI_File f, int collective, int rounds) {
  static int data[4000], back[4000];
  for (int turn = 0; turn < rounds; ++turn) {
    for (int i = 0; i < 4000; ++i) data[i] = turn * 100000 + rank * 10000 + i;
    barrier();
    if (collective)
      OK(MPI_File_write_at_all(f, 0, data, 4000, MPI_INT, MPI_STATUS_IGNORE));
    else
      OK(MPI_File_write_at(f, 0, data, 4000, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_sync(f));
    barrier();
    OK(MPI_File_sync(f));
    OK(MPI_File_read_at(f, 0, back, 4000, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT(memcmp(back, data, sizeof data) == 0);
    barrier();
  }
}
static void interleaved(MPI_File f, int block) {
  MPI_Datatype type = strided(MPI_INT, block, 2 * block);
  OK(MPI_File_set_view(f, 4 * block * rank, MPI_INT, type, "native", MPI_INFO_NULL));
  MPI_Type_free(&type);
}

CHECK(F_holes_01, 2, "Ranks of one file write into the holes of each other, independently") {
  MPI_File f = fresh();
  interleaved(f, 1);
  fills_holes(f, 0, 10);
  closed(&f);
}
CHECK(F_holes_02, 2, "Ranks with a file each write into the holes of each other") {
  barrier();
  MPI_File f = opened_by(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_RDWR);
  interleaved(f, 1);
  fills_holes(f, 0, 10);
  closed(&f);
}
CHECK(F_holes_03, 2, "Files of one rank each, written by collective calls") {
  MPI_File f = opened_by(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_RDWR);
  interleaved(f, 3);
  fills_holes(f, 1, 10);
  closed(&f);
}
CHECK(F_holes_04, 4, "Two pairs of ranks write collectively into the holes of each other") {
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  MPI_File f = opened_by(pair, MPI_MODE_CREATE | MPI_MODE_RDWR);
  dealt(f, 0, MPI_INT, 2);
  fills_holes(f, 1, 6);
  closed(&f);
  MPI_Comm_free(&pair);
}
CHECK(F_holes_05, 2, "A writer in pieces, and one that makes the file longer: no byte is lost") {
  MPI_File f = opened_by(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_RDWR);
  static int data[4000];
  for (int i = 0; i < 4000; ++i) data[i] = i + 1;
  MPI_Datatype type = strided(MPI_INT, 1, 2);
  if (rank == 0) OK(MPI_File_set_view(f, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  barrier();
  for (int i = 0; i < 20; ++i) {
    if (rank == 0)
      OK(MPI_File_write_at(f, 0, data, 4000, MPI_INT, MPI_STATUS_IGNORE));
    else
      OK(MPI_File_write_at(f, 32000 + 4 * i, &i, 1, MPI_INT, MPI_STATUS_IGNORE));
  }
  MPI_Type_free(&type);
  closed(&f);
  barrier();
  for (int i = 0; i < 20; ++i) EXPECT(file_has(32000 + 4 * i, &i, 4));
  for (int i = 0; i < 4000; i += 333) EXPECT(file_has(8 * i, &data[i], 4));
}
