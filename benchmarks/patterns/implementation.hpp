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

// How much a call says, as in the literature on ROMIO.
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
  bool creates;  // otherwise the file is there
};

// Calls that fail end the program.
class implementation {
 public:
  virtual ~implementation() = default;
  virtual std::string_view name() const = 0;
  // Collective, outside of the timing: opens the file, and sets the view where the level has one.
  virtual void open(setting const& s) = 0;
  virtual void close() = 0;
  // Collective, outside of the timing: what all ranks have written is what each of them reads next,
  // on whichever host.
  virtual void sync() = 0;
  // All that the pattern gives this rank. Collective or not, as the level says.
  virtual void read(std::byte* memory) = 0;
  virtual void write(std::byte const* memory) = 0;
  // What the last call did, in words; may be empty.
  virtual std::string last() const { return {}; }
  // Otherwise it moves as many bytes, from and to the start of memory, elsewhere in the file.
  virtual bool follows_the_pattern() const { return true; }
};

// `name`: argosy; argosy:POLICY, with that policy for all calls; mpi, the MPI library's own files;
// posix, a pread or pwrite for each piece; limit, the bytes of each rank in contiguous calls of 4
// MiB, one rank's after the other's. Null for others.
std::unique_ptr<implementation> make_implementation(std::string_view name,
                                                    argosy::hints const& of_argosy);

[[noreturn]] void fail(std::string_view what);

inline int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace patterns
