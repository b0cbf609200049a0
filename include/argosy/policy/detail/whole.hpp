// A time or an amount by prices, as a number that can be told and compared.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

namespace argosy::detail {

// Prices may be any numbers, and views may span the whole file: longer than this, or no number at
// all, is for ever.
constexpr std::int64_t whole(double n) noexcept {
  return n < 0x1p63 ? static_cast<std::int64_t>(n) : std::numeric_limits<std::int64_t>::max();
}

}  // namespace argosy::detail
