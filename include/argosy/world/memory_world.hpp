// A world of ranks that meet only in shared memory: for work beside a rank, on a thread that must not call MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/host.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy {

// Has collective calls and shared memory; no messages, no other groups. One thread of each rank uses it at a time.
//
// A call takes one step for each `slot_bytes`: every rank puts its part into its slot, and reads the other slots when all ranks
// have come. Odd and even steps have separate slots, since a rank may be one step ahead.
class memory_world {
 public:
  static constexpr std::size_t slot_bytes = 1024;
  static std::size_t bytes_for(int size) noexcept;

  // Returns when the word is not `seen` any more, or earlier.
  using waiting = std::function<void(std::uint32_t& word, std::uint32_t seen)>;

  // Local. `m` must have bytes_for(size) zero bytes, shared by all ranks. `how`: how this rank waits in collective calls.
  memory_world(shared_memory m, int rank, int size, waiting how = &memory_world::wait)
      : memory_(std::make_shared<meeting>(meeting{std::move(m), std::move(how)})), rank_(rank), size_(size) {}

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  void barrier() const {
    step({}, 0, [](std::byte const*, int) {});
  }
  template <reducible T>
  void all_reduce(T& value) const {
    T const mine = value;
    auto const bytes = std::as_bytes(std::span(&mine, 1));
    auto const take = [&](std::byte const* from, int r) {
      T other = mine;
      std::memcpy(&other, from, sizeof(T));
      if (r == 0)
        value = other;  // all ranks combine in the same order
      else
        value.combine(other);
    };
    if constexpr (sizeof(T) <= slot_bytes) {
      step(bytes, sizeof(T), take);
    } else {
      std::vector<std::byte> all(static_cast<std::size_t>(size_) * sizeof(T));
      all_gather(bytes, all);
      for (int r = 0; r < size_; ++r) take(all.data() + static_cast<std::size_t>(r) * sizeof(T), r);
    }
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const;
  void broadcast(std::span<std::byte> message, int root) const;
  std::int64_t exclusive_sum(std::int64_t mine) const;

  memory_world node() const { return *this; }
  shared_memory share(std::size_t bytes, std::error_code& error) const;
  shared_memory share(std::size_t bytes) const;
  static void wait(std::uint32_t& word, std::uint32_t seen) noexcept;
  static void wake(std::uint32_t& word) noexcept;
  static detail::processor_set processors() { return detail::processor_set::of_this_process(); }

 private:
  struct meeting {
    shared_memory memory;
    waiting wait;
    std::uint64_t steps = 0;  // of this rank
  };

  // Puts `mine` into this rank's slot, then calls `use` for the slots of all ranks, each with `bytes` bytes.
  template <class Use>
  void step(std::span<std::byte const> mine, std::size_t bytes, Use&& use) const {
    std::byte const* const slots = meet(mine);
    for (int r = 0; r < size_ && bytes > 0; ++r) use(slots + static_cast<std::size_t>(r) * slot_bytes, r);
  }
  std::byte const* meet(std::span<std::byte const> mine) const;

  std::shared_ptr<meeting> memory_;
  int rank_, size_;
};

static_assert(agreeing<memory_world>);
static_assert(node_waiting<memory_world>);

}  // namespace argosy
