// The common error of all ranks if any of them failed: that of the lowest rank that failed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <system_error>

#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// Returns the error of the lowest rank that failed. Collective, one reduction. `error` is an errno,
// or 0.
template <agreeing World>
std::error_code first_failure(World const& world, int error) {
  struct failed {
    int error = 0;
    int rank = 0;
    void combine(failed const& other) {
      if (other.error != 0 && (error == 0 || other.rank < rank)) *this = other;
    }
  } first{error, world.rank()};
  world.all_reduce(first);
  return first.error != 0 ? std::error_code(first.error, std::system_category())
                          : std::error_code();
}

}  // namespace argosy::detail
