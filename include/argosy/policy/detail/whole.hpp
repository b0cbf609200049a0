// A time or an amount by prices, as an integer for texts and comparisons.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

namespace argosy::detail {

// Returns n as an integer. Prices may be any numbers, and views may span the whole file, so a
// larger number, or NaN, becomes the largest integer.
constexpr std::int64_t whole(double n) noexcept {
  return n < 0x1p63 ? static_cast<std::int64_t>(n) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace argosy::detail
