// Unlocks, and tries hard to leave no lock behind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <system_error>

#include <argosy/handle/handle.hpp>

namespace argosy::detail {

// Unlocks, and tries again after any error, because a lock that stays would block everyone else.
// Returns the first error.
template <handle H>
std::error_code give_back(H& file, std::int64_t offset, std::int64_t length) {
  std::error_code const first = file.unlock(offset, length);
  std::error_code last = first;
  for (int tries = 1; last && tries < 8; ++tries) last = file.unlock(offset, length);
  return first;
}

}  // namespace argosy::detail
