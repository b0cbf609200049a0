// A world whose ranks communicate only through shared memory, for a thread that must not call MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/extend.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/host.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy {

namespace extend {

// Has collective calls and shared memory, but no messages and no other groups. At most one thread
// of each rank uses it at a time.
//
// A call takes one step for every `slot_bytes` of its data. In a step, each rank writes its part
// into its slot, then the number of the step in front of it. It reads the slot of another rank when
// that slot has the same number. A small step therefore writes one or two cache lines, and reads as
// many for each other rank. The kernel is called only when a rank waits for long. Odd and even
// steps have separate slots, because a rank may be one step ahead.
class memory_world {
 public:
  static constexpr std::size_t slot_bytes = 1024;
  // Returns the bytes of shared memory that a world of `size` ranks needs.
  static std::size_t bytes_for(int size) noexcept;

  // A function that a rank calls again and again after it has waited for other ranks for some time.
  // `times` counts the calls, from 0.
  using meanwhile = std::function<void(unsigned times)>;

  // Local. `m` must have bytes_for(size) zero bytes, shared by all ranks. Without `idle`, a rank
  // that waits sleeps in the kernel.
  memory_world(shared_memory m, int rank, int size, meanwhile idle = {})
      : memory_(std::make_shared<meeting>(meeting{std::move(m), std::move(idle)})),
        rank_(rank),
        size_(size) {}

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  // Sets how often this rank looks at the slot of another rank before it sleeps or calls `idle`.
  // Local; holds for all copies of this object. Use a small number if other ranks need its
  // processor.
  void set_looks(int looks) const noexcept { memory_->looks = looks; }

  void barrier() const {
    step({}, [](std::byte const*, std::size_t, int) {});
  }
  template <reducible T>
  void all_reduce(T& value) const {
    all_reduce(value, [](T const&, int) {});
  }
  // Reduces as above, and calls `seen(value, rank)` for each rank, in the order of ranks. If T has
  // `telling_bytes()`, only that many first bytes of it are transferred. The rest must be as in a
  // T().
  template <reducible T, class Seen>
  void all_reduce(T& value, Seen&& seen) const {
    constexpr bool shortens = requires { std::size_t(value.telling_bytes()); };
    T const mine = value;
    auto bytes = std::as_bytes(std::span(&mine, 1));
    if constexpr (shortens) bytes = bytes.first(mine.telling_bytes());
    auto const take = [&](std::byte const* from, std::size_t told, int r) {
      T other = mine;
      if constexpr (shortens) other = T();
      std::memcpy(&other, from, std::min(told, sizeof(T)));
      seen(std::as_const(other), r);
      if (r == 0)
        value = other;  // all ranks combine in the same order
      else
        value.combine(other);
    };
    if constexpr (sizeof(T) <= slot_bytes) {
      step(bytes, take);
    } else {
      static_assert(!shortens);
      std::vector<std::byte> all(static_cast<std::size_t>(size_) * sizeof(T));
      all_gather(bytes, all);
      for (int r = 0; r < size_; ++r)
        take(all.data() + static_cast<std::size_t>(r) * sizeof(T), sizeof(T), r);
    }
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const;
  void broadcast(std::span<std::byte> message, int root) const;
  std::int64_t exclusive_sum(std::int64_t mine) const;

  memory_world node() const { return *this; }
  shared_memory share(std::size_t bytes, std::error_code& error) const;
  shared_memory share(std::size_t bytes) const;
  // Waits until the word differs from `seen`, or returns earlier, so callers check the word again.
  // Waits for little longer than `longest` at most, or without limit if that is zero. Local.
  static void wait(std::uint32_t& word, std::uint32_t seen,
                   std::chrono::milliseconds longest = {}) noexcept;
  static void wake(std::uint32_t& word) noexcept;
  static detail::processor_set processors() { return detail::processor_set::of_this_process(); }

 private:
  struct meeting {
    shared_memory memory;
    memory_world::meanwhile meanwhile;
    // takes one or two microseconds, as long as the kernel needs to put a rank to sleep and wake it
    int looks = 100;
    std::uint32_t steps = 0;  // made by this rank; wraps around
  };
  // Whole pairs of cache lines, because processors fetch them in pairs. The number is written last
  // and read first.
  struct slot {
    alignas(128) std::uint32_t number;
    std::uint32_t bytes;
    alignas(8) std::byte content[slot_bytes];
  };

  // Writes `mine` into this rank's slot, waits for all ranks, and calls `use` with the content of
  // each slot.
  template <class Use>
  void step(std::span<std::byte const> mine, Use&& use) const {
    slot const* const slots = meet(mine);
    for (int r = 0; r < size_; ++r) use(slots[r].content, slots[r].bytes, r);
  }
  slot const* meet(std::span<std::byte const> mine) const;
  void wait_for(slot& other, std::uint32_t number) const;

  std::shared_ptr<meeting> memory_;
  int rank_, size_;
};

}  // namespace extend

static_assert(extend::agreeing<extend::memory_world>);
static_assert(extend::node_waiting<extend::memory_world>);

}  // namespace argosy
