// Memory reserved for collective calls. A rank that runs out of memory in the middle of such a call
// cannot leave it, because other ranks wait.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <new>

namespace argosy::detail {

// While an object lives, its thread is in a collective call. If operator new fails in that thread,
// the reserve is freed and the allocation is tried again. A call seldom needs more, apart from its
// staging memory, on which the ranks agree. There is one reserve per process, of addresses that are
// never touched. It is allocated again before and after each call.
class memory_reserve {
 public:
  memory_reserve() noexcept;
  ~memory_reserve();
  memory_reserve(memory_reserve const&) = delete;
  memory_reserve& operator=(memory_reserve const&) = delete;

  // Allocates the reserve again. Returns true if that succeeds. If not, its memory is now used
  // elsewhere, and no call should begin.
  static bool take_back() noexcept;
  static constexpr std::size_t bytes = std::size_t{4} << 20;
};

// Runs a collective call. If even the reserve is not enough, the rank has no way left to report the
// error to the other ranks. The job is then aborted if MPI can do that, as for a rank that dies;
// otherwise the exception propagates.
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
