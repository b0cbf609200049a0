// A pattern: which bytes of the file each rank wants, and where they lie in its memory. Described three times: for
// argosy, for MPI, and as the list that a hand-written loop walks and that all data is checked against.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include <argosy/layout/layout.hpp>

namespace patterns {

struct transfer {
  std::int64_t file_offset, memory_offset, bytes;
};

// What one rank wants.
struct share {
  argosy::layout view, memory;
  std::vector<transfer> pieces;  // ascending in the file
  std::int64_t bytes = 0;
  std::int64_t memory_bytes = 0;  // to the end of the last wanted byte
};

// The same as MPI describes it; freed by its owner.
struct mpi_share {
  MPI_Datatype view = MPI_DATATYPE_NULL, memory = MPI_DATATYPE_NULL;
  int memory_count = 1;
  void free() {
    MPI_Type_free(&view);
    MPI_Type_free(&memory);
  }
};

// How large the data may be.
struct limits {
  std::int64_t bytes = 1 << 20;   // that a rank reads or writes
  std::int64_t pieces = 1 << 15;  // that a rank reads or writes
  std::int64_t span = 64 << 20;   // of the file
};

// Ranks want disjoint bytes, interleaved in the file.
class pattern {
 public:
  virtual ~pattern() = default;
  virtual std::string name() const = 0;
  virtual std::int64_t piece_bytes() const = 0;
  virtual double density() const = 0;  // the part of the file that all ranks together want
  virtual std::int64_t file_bytes() const = 0;
  virtual share of(int rank) const = 0;
  virtual mpi_share mpi_of(int rank) const = 0;
};

// All that are measured, made for so many ranks.
std::vector<std::unique_ptr<pattern>> all_patterns(int ranks, limits const& most);

}  // namespace patterns
