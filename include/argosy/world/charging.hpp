// The concept of a world that simulates processors, so that copies take virtual time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>

#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

// After a copy, the library calls `charge(bytes, pieces)`: the bytes that this rank has copied, in
// how many contiguous pieces. It does so before it notifies other ranks. If `has_contents()`
// returns false, no program reads these bytes: the library then charges for the copy but does not
// make it. Worlds of real ranks have neither function, because their copies take real time.
template <class C>
concept counts_copies = requires(C const& c, std::int64_t n) {
  c.charge(n, n);
  { c.has_contents() } -> std::same_as<bool>;
};

}  // namespace extend

namespace detail {

template <class World>
bool copies(World const& world) {
  if constexpr (counts_copies<World>)
    return world.has_contents();
  else
    return true;
}

// Calls `pieces()` to count the pieces only if the world charges for copies.
template <class World, std::invocable F>
void charge(World const& world, std::int64_t bytes, F&& pieces) {
  if constexpr (counts_copies<World>) {
    if (bytes > 0) world.charge(bytes, pieces());
  }
}

}  // namespace detail

}  // namespace argosy
