// Shared by the parts of the contract: the rank, functions that open and close files, and the parts
// themselves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "checks.hpp"

inline int rank, ranks;

inline MPI_File opened(std::string const& path, int amode) {
  MPI_File f = MPI_FILE_NULL;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), amode, MPI_INFO_NULL, &f));
  return f;
}
inline MPI_File fresh(std::string const& path) {
  return opened(path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
}
inline void close(MPI_File& f) {
  CHECK_OK(MPI_File_close(&f));
  CHECK(f == MPI_FILE_NULL);
}

// The parts.
void handlers();
void views();
void overlapping_copies();
void large_counts();
void representations();
void requests();
void tested_requests();
void mixed_calls();
void dropped_requests();
void split();
