// The concept of a world in which copies of the library take time: that of a simulated processor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>

namespace argosy {

// The library tells such a world what it has copied for this rank, so many bytes in so many
// contiguous pieces, when it is done and before other ranks are told. It asks the world first
// whether anybody will look at these bytes: if not, the copy is charged for, and not made. Real
// ranks have spent the time already: their worlds have no such functions, nothing is counted, and
// all is copied.
template <class C>
concept charging = requires(C const& c, std::int64_t n) {
  c.charge(n, n);
  { c.has_contents() } -> std::same_as<bool>;
};

namespace detail {

template <class World>
bool copies(World const& world) {
  if constexpr (charging<World>)
    return world.has_contents();
  else
    return true;
}

// `pieces()` counts them, where that is wanted.
template <class World, std::invocable F>
void charge(World const& world, std::int64_t bytes, F&& pieces) {
  if constexpr (charging<World>) {
    if (bytes > 0) world.charge(bytes, pieces());
  }
}

}  // namespace detail

}  // namespace argosy
