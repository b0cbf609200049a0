// The exception of operations between ranks, in worlds that report dead ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace argosy {

// Thrown by operations that wait for a rank which will never come. A file turns it into
// errc::rank_failed.
class rank_failure : public std::runtime_error {
 public:
  rank_failure(int rank, std::string const& words) : std::runtime_error(words), rank_(rank) {}

  // The dead rank, as a rank of the communicator of the operation.
  int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

}  // namespace argosy
