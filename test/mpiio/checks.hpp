// For plain MPI programs: prints a line for each check that fails, and returns an exit code.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

inline int wrong = 0;

inline int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int ranks_of_world() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

inline std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}
inline int class_of(int code) {
  int c = -1;
  MPI_Error_class(code, &c);
  return c;
}

// The default of `file` is the caller's file. Not every compiler here has std::source_location.
inline void check(bool holds, std::string const& what, int line,
                  char const* file = __builtin_FILE()) {
  if (holds) return;
  ++wrong;
  std::printf("%s:%d, rank %d: not so: %s\n", file, line, rank_of_world(), what.c_str());
  std::fflush(stdout);
}
#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)
#define CHECK_CLASS(code, wanted)                                                         \
  [&](int the_code) {                                                                     \
    check(class_of(the_code) == (wanted),                                                 \
          std::string(#code " is " #wanted "; it said: ") + text_of(the_code), __LINE__); \
  }(code)
#define CHECK_OK(code) CHECK_CLASS(code, MPI_SUCCESS)

// Ends MPI. Returns the same exit code on all ranks.
inline int ended() {
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank_of_world() == 0) std::printf("%d checks failed\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}

// Returns a path in the directory of the test, the same on all ranks.
inline std::string path_of(char const* name) {
  char const* const directory = std::getenv("TMPDIR");
  return std::string(directory ? directory : "/tmp") + "/" + name;
}
