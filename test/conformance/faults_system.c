// Faults: system calls that fail, are cut short or interrupted, full disks, limits of the process.
// Most need the library that breaks system calls, which run.py preloads.
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "access.h"

// Breaks calls on `path`, on the ranks that call this: CALL@K=ERRNO ... Null mends all.
static int broken(char const* faults) {
  int (*set)(char const*, char const*);
  *(void**)&set = function_named("argosy_faults");
  if (set == NULL) {
    absent("the library of faults is not preloaded");
    return 0;
  }
  EQUAL(set(faults != NULL ? "file.dat" : NULL, faults), 0);
  return 1;
}
static long struck(void) {
  long (*count)(void);
  *(void**)&count = function_named("argosy_faults_struck");
  return count != NULL ? count() : 0;
}

// A write of one rank fails with this class, and the next one succeeds. A library that makes no
// such call cannot fail.
static void write_fails(char const* faults, int class) {
  MPI_File f = fresh();
  if (!broken(faults)) return closed(&f);
  int const code = MPI_File_write_at(f, 0, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE);
  int const sync = MPI_File_sync(f);
  EXPECT(struck() > 0);
  CLASS(code != MPI_SUCCESS ? code : sync, class);
  broken(NULL);
  OK(MPI_File_write_at(f, 0, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  closed(&f);
  EXPECT(file_has(0, "abc", 3));
}
static void read_fails(char const* faults, int class) {
  made(100);
  MPI_File f = opened(MPI_MODE_RDONLY);
  if (!broken(faults)) return closed(&f);
  char data[10];
  int const code = MPI_File_read_at(f, 0, data, 10, MPI_BYTE, MPI_STATUS_IGNORE);
  EXPECT(struck() > 0);
  CLASS(code, class);
  broken(NULL);
  OK(MPI_File_read_at(f, 0, data, 10, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(patterned(data, 10, 0));
  closed(&f);
}
static void open_fails(char const* faults, int class) {
  MPI_File f = MPI_FILE_NULL;
  if (!broken(faults)) return;
  int const code =
      MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  if (rank == 0) CLASS(code, class);
  if (rank != 0) FAILS(code);
  broken(NULL);
  barrier();
  f = fresh();
  closed(&f);
}
// A collective call whose system calls fail on one rank: no rank waits, and one has the error.
static void one_rank_fails(at_call* call, char const* faults, int failing) {
  made(4000);
  MPI_File f = opened(MPI_MODE_RDWR);
  static unsigned char data[1000];
  if (!broken(rank == failing ? faults : NULL)) return closed(&f);
  int const code = call(f, 1000 * rank, data, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
  int const has_error = on_any_rank(code != MPI_SUCCESS), was_struck = on_any_rank(struck() > 0);
  EXPECT(has_error || !was_struck);
  broken(NULL);
  barrier();
  OK(call(f, 1000 * rank, data, 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  closed(&f);
}
// Writes and reads 100 KB while calls are cut short or interrupted: nothing is missing.
static void goes_on(char const* faults) {
  MPI_File f = fresh();
  static unsigned char data[100000], back[100000];
  MPI_Status status;
  fill(data, sizeof data, 0);
  if (!broken(faults)) return closed(&f);
  OK(MPI_File_write_at(f, 0, data, sizeof data, MPI_BYTE, &status));
  EQUAL(count_of(&status, MPI_BYTE), sizeof data);
  OK(MPI_File_read_at(f, 0, back, sizeof back, MPI_BYTE, &status));
  EQUAL(count_of(&status, MPI_BYTE), sizeof back);
  broken(NULL);
  EXPECT(patterned(back, sizeof back, 0));
  closed(&f);
}

CHECK(F_sys_01, 1, "write fails with EIO: MPI_ERR_IO") { write_fails("write@1=EIO", MPI_ERR_IO); }
CHECK(F_sys_02, 1, "write fails with ENOSPC: MPI_ERR_NO_SPACE") {
  write_fails("write@1=ENOSPC", MPI_ERR_NO_SPACE);
}
CHECK(F_sys_03, 1, "write fails with EDQUOT: MPI_ERR_QUOTA") {
  write_fails("write@1=EDQUOT", MPI_ERR_QUOTA);
}
CHECK(F_sys_04, 1, "read fails with EIO: MPI_ERR_IO") { read_fails("read@1=EIO", MPI_ERR_IO); }
CHECK(F_sys_05, 2, "open fails with EACCES on all ranks: MPI_ERR_ACCESS") {
  open_fails("open@1+=EACCES", MPI_ERR_ACCESS);
}
CHECK(F_sys_06, 2, "open fails with EROFS on all ranks: MPI_ERR_READ_ONLY") {
  open_fails("open@1+=EROFS", MPI_ERR_READ_ONLY);
}
CHECK(F_sys_07, 2, "open fails with ENOSPC on all ranks: MPI_ERR_NO_SPACE") {
  open_fails("open@1+=ENOSPC", MPI_ERR_NO_SPACE);
}
CHECK(F_sys_08, 2, "open fails with EDQUOT on all ranks: MPI_ERR_QUOTA") {
  open_fails("open@1+=EDQUOT", MPI_ERR_QUOTA);
}
CHECK(F_sys_09, 2, "open fails on one rank only: an error on all ranks") {
  made(10);
  MPI_File f = MPI_FILE_NULL;
  if (!broken(rank == 1 ? "open@1+=EIO" : NULL)) return;
  int const code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  if (on_any_rank(struck() > 0)) FAILS(code);
  broken(NULL);
}
CHECK(F_sys_10, 2, "MPI_File_sync: fsync fails on one rank, which gets the error") {
  MPI_File f = fresh();
  OK(MPI_File_write_at(f, rank, "a", 1, MPI_CHAR, MPI_STATUS_IGNORE));
  if (!broken(rank == 1 ? "fsync@1=EIO" : NULL)) return;
  int const code = MPI_File_sync(f);
  if (struck() > 0) CLASS(code, MPI_ERR_IO);
  broken(NULL);
  barrier();
  closed(&f);
}
CHECK(F_sys_11, 2, "MPI_File_set_size: ftruncate fails on all ranks, all get an error") {
  MPI_File f = fresh();
  if (!broken("ftruncate@1+=EIO")) return;
  FAILS(MPI_File_set_size(f, 1000));
  broken(NULL);
  barrier();
  OK(MPI_File_set_size(f, 1000));
  closed(&f);
}
CHECK(F_sys_12, 2, "MPI_File_preallocate: no space, all ranks get an error") {
  MPI_File f = fresh();
  if (!broken("fallocate@1+=ENOSPC;write@1+=ENOSPC")) return;
  FAILS(MPI_File_preallocate(f, 100000));
  broken(NULL);
  barrier();
  closed(&f);
}
CHECK(F_sys_13, 2, "MPI_File_write_at_all: write fails on rank 0, no rank waits") {
  one_rank_fails(do_write_at_all, "write@1=EIO", 0);
}
CHECK(F_sys_14, 2, "MPI_File_write_at_all: write fails on rank 1, no rank waits") {
  one_rank_fails(do_write_at_all, "write@1=EIO", 1);
}
CHECK(F_sys_15, 2, "MPI_File_read_at_all: read fails on rank 0, no rank waits") {
  one_rank_fails(do_read_at_all, "read@1=EIO", 0);
}
CHECK(F_sys_16, 2, "MPI_File_read_at_all: read fails on rank 1, no rank waits") {
  one_rank_fails(do_read_at_all, "read@1=EIO", 1);
}
CHECK(F_sys_17, 2, "MPI_File_iwrite_at_all: write fails on rank 0, no rank waits") {
  one_rank_fails(do_iwrite_at_all, "write@1=EIO", 0);
}
CHECK(F_sys_18, 2, "MPI_File_write_at_all_begin: write fails on rank 0, no rank waits") {
  one_rank_fails(do_write_at_all_split, "write@1=EIO", 0);
}
CHECK(F_sys_19, 1, "MPI_File_iwrite_at: the request has the error of its write") {
  MPI_File f = fresh();
  MPI_Request r;
  if (!broken("write@1=ENOSPC")) return;
  int code = MPI_File_iwrite_at(f, 0, "abc", 3, MPI_CHAR, &r);
  if (code == MPI_SUCCESS) code = MPI_Wait(&r, MPI_STATUS_IGNORE);
  if (struck() > 0) FAILS(code);
  broken(NULL);
  closed(&f);
}
CHECK(F_sys_20, 2, "MPI_File_write_ordered: write fails on rank 0, no rank waits") {
  MPI_File f = fresh();
  if (!broken(rank == 0 ? "write@1=EIO" : NULL)) return;
  int const code = MPI_File_write_ordered(f, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE);
  if (struck() > 0) FAILS(code);
  broken(NULL);
  barrier();
  closed(&f);
}
CHECK(F_sys_21, 1, "Closing reports that close failed") {
  MPI_File f = fresh();
  OK(MPI_File_write_at(f, 0, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
  if (!broken("close@1=EIO")) return;
  int const code = MPI_File_close(&f);
  if (struck() > 0) FAILS(code);
  EXPECT(f == MPI_FILE_NULL);
  broken(NULL);
}

CHECK(F_sys_22, 1, "Each write is cut to 1000 bytes: the library goes on") {
  goes_on("write@1+=short:1000");
}
CHECK(F_sys_23, 1, "Each read is cut to 1000 bytes: the library goes on") {
  goes_on("read@1+=short:1000");
}
CHECK(F_sys_24, 1, "A write is interrupted, EINTR: the library repeats it") {
  goes_on("write@1x3=EINTR");
}
CHECK(F_sys_25, 1, "A read is interrupted, EINTR: the library repeats it") {
  goes_on("read@1x3=EINTR");
}
CHECK(F_sys_26, 1, "A write is torn, and the next one fails: an error") {
  MPI_File f = fresh();
  static char data[10000];
  if (!broken("write@1=torn:1000:ENOSPC")) return;
  int const code = MPI_File_write_at(f, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE);
  if (struck() > 0) CLASS(code, MPI_ERR_NO_SPACE);
  broken(NULL);
  closed(&f);
}

static void nothing(int number) { (void)number; }
CHECK(F_sys_27, 1, "Signals arrive all the time, without SA_RESTART: nothing is missing") {
  struct sigaction action = {0}, before;
  action.sa_handler = nothing;
  sigaction(SIGALRM, &action, &before);
  struct itimerval const often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  static unsigned char data[1 << 20], back[1 << 20];
  fill(data, sizeof data, 0);
  MPI_File f = fresh();
  for (int i = 0; i < 5; ++i) {
    OK(MPI_File_write_at(f, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(f, 0, back, sizeof back, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(patterned(back, sizeof back, 0));
  }
  closed(&f);
  setitimer(ITIMER_REAL, &never, NULL);
  sigaction(SIGALRM, &before, NULL);
}

CHECK(F_disk_01, 1, "A full disk: the write fails with MPI_ERR_NO_SPACE, and what fits stays") {
  MPI_File f = fresh();
  static unsigned char data[5000];
  fill(data, sizeof data, 0);
  OK(MPI_File_write_at(f, 0, data, 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  if (!broken("write@1+=full:3000;fallocate@1+=full:3000")) return;
  CLASS(MPI_File_write_at(f, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
  broken(NULL);
  closed(&f);
  EXPECT(file_has(0, data, 1000));
}
CHECK(F_disk_02, 2, "A full disk in a collective write: an error, and no rank waits") {
  MPI_File f = fresh();
  static unsigned char data[5000];
  if (!broken("write@1+=full:3000;fallocate@1+=full:3000")) return;
  int const code =
      MPI_File_write_at_all(f, 5000 * rank, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE);
  EXPECT(on_any_rank(code != MPI_SUCCESS));
  broken(NULL);
  closed(&f);
}
CHECK(F_disk_03, 1, "/dev/full: MPI_ERR_NO_SPACE") {
  MPI_File f = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_SELF, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &f));
  int code = MPI_File_write_at(f, 0, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE);
  CLASS(code, MPI_ERR_NO_SPACE);
  MPI_File_close(&f);
}
CHECK(F_disk_04, 1, "A limit of the file size, RLIMIT_FSIZE: an error, and what fits stays") {
  struct rlimit before, low;
  getrlimit(RLIMIT_FSIZE, &before);
  low = before;
  low.rlim_cur = 4096;
  static unsigned char data[10000];
  fill(data, sizeof data, 0);
  MPI_File f = fresh();
  OK(MPI_File_write_at(f, 0, data, 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &low);
  FAILS(MPI_File_write_at(f, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  closed(&f);
  EXPECT(file_has(0, data, 1000));
}
CHECK(F_disk_05, 2, "One rank has no file descriptors left: an error on both, and no rank waits") {
  struct rlimit before, low;
  getrlimit(RLIMIT_NOFILE, &before);
  low = before;
  low.rlim_cur = 3;
  made(10);
  MPI_File f = MPI_FILE_NULL;
  if (rank == 1) setrlimit(RLIMIT_NOFILE, &low);
  int const code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  setrlimit(RLIMIT_NOFILE, &before);
  FAILS(code);
  barrier();
  f = fresh();
  closed(&f);
}
