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
// A call takes one step for each `slot_bytes`: every rank puts its part into its slot, in front of it the number of the step, and
// reads the slot of each other rank when that has the number, too. So a small step costs a rank two cache lines to write and two of
// each other rank to read, and the kernel is asked only by ranks that wait long, and for them. Odd and even steps have separate
// slots, since a rank may be one step ahead.
class memory_world {
 public:
  static constexpr std::size_t slot_bytes = 1024;
  static std::size_t bytes_for(int size) noexcept;

  // What a rank does, again and again, while it has waited for others for some time; `times` counts, from 0.
  using meanwhile = std::function<void(unsigned times)>;

  // Local. `m` must have bytes_for(size) zero bytes, shared by all ranks. Where there is nothing to do meanwhile, it sleeps.
  memory_world(shared_memory m, int rank, int size, meanwhile idle = {})
      : memory_(std::make_shared<meeting>(meeting{std::move(m), std::move(idle)})), rank_(rank), size_(size) {}

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  // How often it looks for another rank before it sleeps, or does something else: seldom where others need its processor.
  void set_looks(int looks) const noexcept { memory_->looks = looks; }

  void barrier() const {
    step({}, 0, [](std::byte const*, int) {});
  }
  template <reducible T>
  void all_reduce(T& value) const {
    all_reduce(value, [](T const&, int) {});
  }
  // The same, and `seen` is told the value of each rank, in their order.
  template <reducible T, class Seen>
  void all_reduce(T& value, Seen&& seen) const {
    T const mine = value;
    auto const bytes = std::as_bytes(std::span(&mine, 1));
    auto const take = [&](std::byte const* from, int r) {
      T other = mine;
      std::memcpy(&other, from, sizeof(T));
      seen(std::as_const(other), r);
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
    memory_world::meanwhile meanwhile;
    int looks = 100;          // a microsecond or two: as long as the kernel takes to put us to sleep and wake us
    std::uint32_t steps = 0;  // of this rank; wraps around
  };
  struct slot;

  // Puts `mine` into this rank's slot, then calls `use` for the slots of all ranks, each with `bytes` bytes.
  template <class Use>
  void step(std::span<std::byte const> mine, std::size_t bytes, Use&& use) const {
    std::byte const* const slots = meet(mine);
    for (int r = 0; r < size_ && bytes > 0; ++r) use(slots + static_cast<std::size_t>(r) * stride, r);
  }
  // Where the content of rank 0's slot is; those of others follow.
  std::byte const* meet(std::span<std::byte const> mine) const;
  void wait_for(slot& other, std::uint32_t number) const;

  static constexpr std::size_t stride = 9 * 128;  // whole pairs of cache lines, which processors fetch together

  std::shared_ptr<meeting> memory_;
  int rank_, size_;
};

static_assert(agreeing<memory_world>);
static_assert(node_waiting<memory_world>);

}  // namespace argosy
