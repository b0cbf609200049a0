// A pattern: the bytes of the file that belong to each rank, and their places in its memory. Each
// is described three times: for argosy, for MPI, and piece by piece, for hand-written loops and for
// the checks of all data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <mpi.h>

#include <argosy/layout/layout.hpp>

namespace argosy::bench {

struct transfer {
  std::int64_t file_offset, memory_offset, bytes;
};

// The part of one rank.
struct share {
  argosy::layout view, memory;
  std::int64_t bytes = 0;
  std::int64_t memory_bytes = 0;  // up to the end of its last byte
};

// This part, described for MPI. Its owner frees the datatypes.
struct mpi_share {
  MPI_Datatype view = MPI_DATATYPE_NULL, memory = MPI_DATATYPE_NULL;
  void free() {
    MPI_Type_free(&view);
    MPI_Type_free(&memory);
  }
};

// The bytes of different ranks are disjoint.
class pattern {
 public:
  virtual ~pattern() = default;
  virtual std::string name() const = 0;
  virtual int ranks() const = 0;
  virtual std::int64_t piece_bytes() const = 0;
  // Returns the fraction of the file that belongs to a rank.
  virtual double density() const { return 1; }
  virtual std::int64_t file_bytes() const = 0;
  virtual share of(int rank) const = 0;
  virtual mpi_share mpi_of(int rank) const = 0;
  // Calls `f` with every piece of a rank, in ascending order of the file.
  virtual void walk(int rank, std::function<void(transfer const&)> const& f) const = 0;
};

}  // namespace argosy::bench
