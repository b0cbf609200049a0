// A pattern: which bytes of the file each rank wants, and where they lie in its memory. Described
// three times: for argosy, for MPI, and piece by piece, as hand-written loops need it and as all
// data is checked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <mpi.h>

#include <argosy/layout/layout.hpp>

namespace patterns {

struct transfer {
  std::int64_t file_offset, memory_offset, bytes;
};

// What one rank wants.
struct share {
  argosy::layout view, memory;
  std::int64_t bytes = 0;
  std::int64_t memory_bytes = 0;  // to the end of the last wanted byte
};

// The same as MPI describes it; freed by its owner.
struct mpi_share {
  MPI_Datatype view = MPI_DATATYPE_NULL, memory = MPI_DATATYPE_NULL;
  void free() {
    MPI_Type_free(&view);
    MPI_Type_free(&memory);
  }
};

// Ranks want disjoint bytes.
class pattern {
 public:
  virtual ~pattern() = default;
  virtual std::string name() const = 0;
  virtual int ranks() const = 0;
  virtual std::int64_t piece_bytes() const = 0;
  virtual double density() const { return 1; }  // the part of the file that all ranks together want
  virtual std::int64_t file_bytes() const = 0;
  virtual share of(int rank) const = 0;
  virtual mpi_share mpi_of(int rank) const = 0;
  // Calls `f` with every piece of a rank, ascending in the file.
  virtual void walk(int rank, std::function<void(transfer const&)> const& f) const = 0;
};

}  // namespace patterns
