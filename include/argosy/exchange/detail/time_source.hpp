// The clock of the machine, or of a virtual world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace argosy::detail {

// The clock of one rank; any thread.
struct time_source {
  std::function<std::int64_t()> virtual_ns = {};  // empty: the steady clock of the machine
};

inline std::int64_t now_ns(time_source const& t) {
  if (t.virtual_ns) return t.virtual_ns();
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Returns the time of a world. Some worlds have a clock of their own, in seconds.
template <class World>
std::int64_t now_ns(World const& world) {
  if constexpr (requires { world.now(); })
    return static_cast<std::int64_t>(world.now() * 1e9);
  else
    return now_ns(time_source());
}

}  // namespace argosy::detail
