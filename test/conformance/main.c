// Runs checks one after the other, and writes the outcome of each into a file:
//   mpiexec -n RANKS conformance RESULTS SECONDS NUMBER...
//   conformance --list                prints number, ranks, source and text of all checks
// Lines of RESULTS: "begin NUMBER", then "end NUMBER green|red|absent TEXT", or "hang NUMBER TEXT",
// or "crash NUMBER TEXT". A check without a second line was ended from outside. run.py reads them.
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct check* checks;  // sorted by number
static int results = -1;
static int seconds;
static char const* volatile running = "";
static int volatile ticks;  // seconds of the running check
static char failure[600];   // the first failure of this rank
static int is_absent;

void add_check(struct check* entry) {
  struct check** at = &checks;
  while (*at != NULL && strcmp((*at)->number, entry->number) < 0) at = &(*at)->next;
  entry->next = *at;
  *at = entry;
}

// Prints 14_2_1_03 as 14.2.1-03.
static char const* printed(char const* number) {
  static char text[64];
  snprintf(text, sizeof text, "%s", number);
  for (char* c = text; *c != 0; ++c)
    if (*c == '_') *c = strchr(c + 1, '_') != NULL ? '.' : '-';
  return text;
}

static void note(char const* line) {
  if (write(results, line, strlen(line)) < 0) perror("conformance: results");
}

// Counts seconds, but not those in which the whole process was stopped. Takes no signals, so that
// no system call of MPI is interrupted.
static void* watch(void* unused) {
  (void)unused;
  for (;;) {
    sleep(1);
    if (++ticks <= seconds || *running == 0) continue;
    char line[256];
    snprintf(line, sizeof line, "hang %s rank %d: no end after %d s\n", running, rank, seconds);
    note(line);
    _exit(99);
  }
}

static void crashed(int number) {
  char line[256];
  snprintf(line, sizeof line, "crash %s rank %d: signal %d\n", running, rank, number);
  note(line);
  signal(number, SIG_DFL);
  raise(number);
}

static void start_watch(void) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_create(&thread, NULL, watch, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  int const caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL};
  for (size_t i = 0; i < sizeof caught / sizeof *caught; ++i) signal(caught[i], crashed);
}

static void empty_directory(void) {
  DIR* listing = opendir(directory);
  if (listing == NULL) return;
  char name[1200];
  for (struct dirent* entry; (entry = readdir(listing)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(name, sizeof name, "%s/%s", directory, entry->d_name);
    if (unlink(name) != 0) rmdir(name);
  }
  closedir(listing);
}

static void run(struct check* check, char const* scratch) {
  running = check->number;
  ticks = 0;
  failure[0] = 0;
  is_absent = 0;
  char line[800];
  // A check of what a crash left has the directory of the check that crashed.
  char const* const after = strstr(check->number, "_after");
  int const length = (int)(after != NULL ? (size_t)(after - check->number) : strlen(check->number));
  snprintf(directory, 1000, "%s/%.*s", scratch, length, check->number);
  snprintf(path, 1040, "%s/file.dat", directory);
  if (rank == 0) {
    snprintf(line, sizeof line, "begin %s\n", check->number);
    note(line);
    mkdir(directory, 0777);
    if (after == NULL) empty_directory();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  check->run();
  struct {
    int value, rank;
  } mine = {is_absent || failure[0] == 0 ? is_absent : 2, -rank}, worst;
  MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
  if (-worst.rank == rank) {
    char const* const outcomes[] = {"green", "absent", "red"};
    snprintf(line, sizeof line, "end %s %s %s\n", check->number, outcomes[worst.value], failure);
    note(line);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) empty_directory();
  if (rank == 0) rmdir(directory);
}

static int list(void) {
  for (struct check* c = checks; c != NULL; c = c->next)
    printf("%s\t%s\t%d\t%s\t%s\n", c->number, printed(c->number), c->ranks,
           strrchr(c->file, '/') != NULL ? strrchr(c->file, '/') + 1 : c->file, c->text);
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) return list();
  if (argc < 4) return fprintf(stderr, "usage: conformance RESULTS SECONDS NUMBER...\n"), 2;
  results = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0666);
  seconds = atoi(argv[2]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  start_watch();
  char const* const scratch = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
  for (int i = 3; i < argc; ++i)
    for (struct check* c = checks; c != NULL; c = c->next)
      if (strcmp(c->number, argv[i]) == 0) run(c, scratch);
  running = "";
  MPI_Finalize();
  return 0;
}

// --- The questions of checks ---

static void failed(char const* file, int line, char const* what, char const* why) {
  if (failure[0] != 0) return;
  char const* const name = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
  snprintf(failure, sizeof failure, "%s:%d, rank %d: %.250s: %.250s", name, line, rank, what, why);
  for (char* c = failure; *c != 0; ++c)
    if (*c == '\n' || *c == '\t') *c = ' ';
}
void expect(int holds, char const* what, char const* file, int line) {
  if (!holds) failed(file, line, what, "not so");
}
void expect_equal(long long is, long long wanted, char const* what, char const* file, int line) {
  char why[80];
  snprintf(why, sizeof why, "%lld instead of %lld", is, wanted);
  if (is != wanted) failed(file, line, what, why);
}
int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}
void expect_class(int code, int wanted, char const* name, char const* what, char const* file,
                  int line) {
  if (class_of(code) == wanted) return;
  char text[MPI_MAX_ERROR_STRING + 1] = "", why[300];
  int length = 0;
  if (code == MPI_SUCCESS) {
    snprintf(why, sizeof why, "success instead of %s", name);
  } else {
    MPI_Error_string(code, text, &length);
    snprintf(why, sizeof why, "not %s, but %.200s", name, text);
  }
  failed(file, line, what, why);
}
void expect_failure(int code, char const* what, char const* file, int line) {
  if (code == MPI_SUCCESS) failed(file, line, what, "success instead of an error");
}
void absent(char const* what) {
  is_absent = 1;
  if (failure[0] == 0) snprintf(failure, sizeof failure, "%s", what);
}
