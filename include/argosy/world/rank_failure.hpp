// The exception of operations between ranks, in worlds that report dead ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include <argosy/extend.hpp>

namespace argosy::extend {

// Thrown by an operation that waits for a rank that cannot take part any more. A file reports it as
// errc::rank_failed.
class rank_failure : public std::runtime_error {
 public:
  rank_failure(int rank, std::string const& words) : std::runtime_error(words), rank_(rank) {}

  // Returns the dead rank, as a rank of the communicator of the operation.
  int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

}  // namespace argosy::extend
