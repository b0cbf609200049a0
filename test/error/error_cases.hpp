// Shared by tests of errors: all ranks, codes of the system, and codes that the library does not
// know.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/error/mpi.hpp>
#include <argosy/world/mpi.hpp>

#include <mpi.h>

#include <string>
#include <system_error>

namespace argosy::test {

inline mpi everyone() { return mpi(MPI_COMM_WORLD); }
inline std::error_code os(int number) { return {number, std::system_category()}; }

inline bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

// A category that the library does not know.
class strange_category final : public std::error_category {
 public:
  char const* name() const noexcept override { return "tape robot"; }
  std::string message(int) const override { return "the arm is stuck"; }
};
inline strange_category const strange;

}  // namespace argosy::test
