// Memory kept for collective calls: a rank that runs out of it in the middle of one cannot leave,
// since the others wait for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <new>

namespace argosy::detail {

// While one lives, its thread is in a collective call: what operator new cannot get there, the
// reserve is given up for. What a call needs beyond its staging memory, which ranks agree on, is
// seldom more. One reserve a process, of addresses that nobody touches; before each call, and after
// it, what was given up is taken back.
class memory_reserve {
 public:
  memory_reserve() noexcept;
  ~memory_reserve();
  memory_reserve(memory_reserve const&) = delete;
  memory_reserve& operator=(memory_reserve const&) = delete;

  // False: what an earlier call needed, somebody else has now, and no call should begin.
  static bool take_back() noexcept;
  static constexpr std::size_t bytes = std::size_t{4} << 20;
};

// A collective call that the reserve was not enough for: no way is left to tell the others. Where
// MPI can, it ends the job, as it does for a rank that dies; elsewhere the exception goes on.
template <class World, class Body>
auto with_reserve(World const& world, Body&& body) try {
  if (world.size() == 1) return body();
  [[maybe_unused]] memory_reserve const kept;
  return body();
} catch (std::bad_alloc const&) {
  if constexpr (requires { world.give_up(""); })
    if (world.size() > 1)
      world.give_up("out of memory in a collective call, which other ranks wait for the end of");
  throw;
}

}  // namespace argosy::detail
