// Shared by the checks: how a check is declared, what it may ask, and helpers for files. Plain C,
// and nothing but MPI and POSIX.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <stddef.h>

// A check is a function of all ranks of MPI_COMM_WORLD. Its number is a section of MPI 4.1 and a
// running number: 14_2_1_03 is printed as 14.2.1-03. The numbers of faults begin with F. The text
// is our paraphrase of the sentence. A check that fails goes on, so that ranks stay together.
#define CHECK(number, ranks, text)                                                      \
  static void check_##number(void);                                                     \
  __attribute__((constructor)) static void add_##number(void) {                         \
    static struct check entry = {#number, ranks, text, check_##number, __FILE__, NULL}; \
    add_check(&entry);                                                                  \
  }                                                                                     \
  static void check_##number(void)

struct check {
  char const* number;
  int ranks;  // how many it needs
  char const* text;
  void (*run)(void);
  char const* file;
  struct check* next;
};
void add_check(struct check* entry);

// The rank, the number of ranks, the directory of this check, which is empty, and a path in it.
extern int rank, ranks;
extern char directory[], path[];

// Each evaluates its argument once. A failure is noted with the text, and the check goes on.
#define EXPECT(...) expect((__VA_ARGS__) != 0, #__VA_ARGS__, __FILE__, __LINE__)
#define EQUAL(is, wanted) \
  expect_equal((long long)(is), (long long)(wanted), #is, __FILE__, __LINE__)
#define CLASS(call, wanted) expect_class((call), (wanted), #wanted, #call, __FILE__, __LINE__)
#define OK(call) CLASS(call, MPI_SUCCESS)
#define FAILS(call) expect_failure((call), #call, __FILE__, __LINE__)

void expect(int holds, char const* what, char const* file, int line);
void expect_equal(long long is, long long wanted, char const* what, char const* file, int line);
void expect_class(int code, int wanted, char const* name, char const* what, char const* file,
                  int line);
void expect_failure(int code, char const* what, char const* file, int line);
int class_of(int code);

// Ends the check on all ranks as "absent": the MPI library does not have what it is about.
void absent(char const* what);
// Returns a function by its name, or null.
void* function_named(char const* name);
// Declares `variable` as a function of MPI 4, which older libraries do not have.
#define LATER(variable, name, ...)           \
  int (*variable)(__VA_ARGS__);              \
  *(void**)&variable = function_named(name); \
  if (variable == NULL) {                    \
    absent(name);                            \
    return;                                  \
  }

// Opens `path` on all ranks. fresh() creates it for reading and writing.
MPI_File opened(int amode);
MPI_File fresh(void);
MPI_File opened_by(MPI_Comm comm, int amode);
void closed(MPI_File* file);
void barrier(void);
// Collective. Returns true if this holds on any rank.
int on_any_rank(int holds);

// By POSIX, not by MPI: rank 0 makes `path` with so many bytes of the pattern, while all wait. The
// others look at the file on the calling rank. -1: there is no such byte, or no such file.
void made(long long bytes);
int byte_at(long long at);
long long posix_size(char const* name);
// Returns true if the file has these bytes from here on.
int file_has(long long at, void const* data, size_t bytes);

// The pattern: the byte at `at` depends on `at`. fill() makes data of it, and patterned() looks.
unsigned char pattern(long long at);
void fill(void* data, size_t bytes, long long at);
int patterned(void const* data, size_t bytes, long long at);
// Returns true if all bytes are this one.
int all_are(void const* data, size_t bytes, int byte);

// The count of a status, and the position of the individual and the shared pointer.
int count_of(MPI_Status* status, MPI_Datatype type);
long long position(MPI_File file);
long long position_shared(MPI_File file);
long long size_of(MPI_File file);

// A committed type: `block` of old, then a gap, so that copies begin each `stride` of old.
MPI_Datatype strided(MPI_Datatype old, int block, int stride);
// The view of a rank of a file that is dealt out in blocks of so many of old, rank by rank.
void dealt(MPI_File file, long long displacement, MPI_Datatype old, int block);
