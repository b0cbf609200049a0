// Defaults that several policies and hints share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::detail {

inline constexpr std::int64_t cached_window_bytes = 512 << 10;  // small: data stays in the cache
inline constexpr std::int64_t staging_buffer_bytes = 4 << 20;   // per aggregator
inline constexpr std::int64_t ranges_per_step = 4;              // for guided prefetching

}  // namespace argosy::detail
