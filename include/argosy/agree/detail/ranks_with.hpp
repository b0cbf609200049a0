// The number of ranks for which something is true, and the first of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <argosy/world/communicator.hpp>

namespace argosy::detail {

struct ranks_with {
  std::int32_t lowest = std::numeric_limits<std::int32_t>::max(), count = 0;
  explicit operator bool() const noexcept { return count != 0; }
  void combine(ranks_with const& other) noexcept {
    lowest = std::min(lowest, other.lowest);
    count += other.count;
  }
};

// Returns for how many ranks `here` is true. Collective.
template <agreeing World>
ranks_with ranks_where(World const& world, bool here) {
  ranks_with all;
  if (here) all = {world.rank(), 1};
  world.all_reduce(all);
  return all;
}

}  // namespace argosy::detail
