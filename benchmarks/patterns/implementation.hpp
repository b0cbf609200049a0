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

// Calls that fail end the program.
class implementation {
 public:
  virtual ~implementation() = default;
  virtual std::string_view name() const = 0;
  // Collective, outside of the timing: opens the file, which is there, and sets the view.
  virtual void open(MPI_Comm comm, std::string const& path, pattern const& p, int rank) = 0;
  virtual void close() = 0;
  // All that the pattern gives this rank; local.
  virtual void read(std::byte* memory) = 0;
  virtual void write(std::byte const* memory) = 0;
  // What the last call did, in words; may be empty.
  virtual std::string last() const { return {}; }
};

std::unique_ptr<implementation> make_argosy(argosy::hints const& h);
std::unique_ptr<implementation> make_mpi();    // MPI_File_read_at and MPI_File_write_at on the same view
std::unique_ptr<implementation> make_posix();  // a pread or pwrite for each piece

[[noreturn]] void fail(std::string_view what);

}  // namespace patterns
