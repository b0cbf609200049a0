// An implementation: one way to carry out a pattern.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include <argosy/file/hints.hpp>

#include "pattern.hpp"

namespace patterns {

// How much data one call describes, as in the literature on ROMIO.
enum class level {
  pieces = 0,           // an independent call for each piece
  pieces_together = 1,  // a collective call for each piece
  independent = 2,      // one independent call on a view
  collective = 3        // one collective call on a view
};

struct setting {
  MPI_Comm comm;
  std::string path;
  pattern const* what;
  level how;
  bool creates;  // if false, the file exists
};

// A way to carry out patterns. A call that fails ends the program.
class implementation {
 public:
  virtual ~implementation() = default;
  virtual std::string_view name() const = 0;
  // Opens the file, and sets the view if the level has one. Collective, outside of the timing.
  virtual void open(setting const& s) = 0;
  virtual void close() = 0;
  // Makes the writes of all ranks visible to each rank, on any host. Collective, outside of the
  // timing.
  virtual void sync() = 0;
  // Reads all data of this rank in the pattern. Collective or local, by the level.
  virtual void read(std::byte* memory) = 0;
  virtual void write(std::byte const* memory) = 0;
  // Returns a text about the last call; may be empty.
  virtual std::string last() const { return {}; }
  // Returns false if it moves as many bytes at other places: from and to the start of memory,
  // elsewhere in the file.
  virtual bool follows_the_pattern() const { return true; }
};

// Returns the implementation of that name, or null. Names: argosy; argosy:POLICY, with that policy
// for all calls; mpi, the MPI library's own files; posix, a pread or pwrite for each piece; own, an
// exchange written by hand (own.hpp); limit, contiguous calls of 4 MiB with the bytes of each rank,
// one rank's after the other's.
std::unique_ptr<implementation> make_implementation(std::string_view name,
                                                    argosy::hints const& of_argosy);

[[noreturn]] void fail(std::string_view what);

inline int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace patterns
