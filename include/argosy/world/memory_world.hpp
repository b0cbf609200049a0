// A world of ranks that meet only in shared memory: for work beside a rank, on a thread that must
// not call MPI.
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

#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/host.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy {

// Has collective calls and shared memory; no messages, no other groups. One thread of each rank
// uses it at a time.
//
// A call takes one step for each `slot_bytes`: every rank puts its part into its slot, in front of
// it the number of the step, and reads the slot of each other rank when that has the number, too.
// So a small step costs a rank one or two cache lines to write and as many of each other rank to
// read, and the kernel is asked only by ranks that wait long, and for them. Odd and even steps have
// separate slots, since a rank may be one step ahead.
class memory_world {
 public:
  static constexpr std::size_t slot_bytes = 1024;
  static std::size_t bytes_for(int size) noexcept;

  // What a rank does, again and again, while it has waited for others for some time; `times`
  // counts, from 0.
  using meanwhile = std::function<void(unsigned times)>;

  // Local. `m` must have bytes_for(size) zero bytes, shared by all ranks. Where there is nothing to
  // do meanwhile, it sleeps.
  memory_world(shared_memory m, int rank, int size, meanwhile idle = {})
      : memory_(std::make_shared<meeting>(meeting{std::move(m), std::move(idle)})),
        rank_(rank),
        size_(size) {}

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  // How often it looks for another rank before it sleeps, or does something else: seldom where
  // others need its processor.
  void set_looks(int looks) const noexcept { memory_->looks = looks; }

  void barrier() const {
    step({}, [](std::byte const*, std::size_t, int) {});
  }
  template <reducible T>
  void all_reduce(T& value) const {
    all_reduce(value, [](T const&, int) {});
  }
  // The same, and `seen` is told the value of each rank, in their order. Of a T that says how many
  // of its first bytes are other than those of T(), only these are handed over.
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
  // Not much longer than `longest`; zero: for ever.
  static void wait(std::uint32_t& word, std::uint32_t seen,
                   std::chrono::milliseconds longest = {}) noexcept;
  static void wake(std::uint32_t& word) noexcept;
  static detail::processor_set processors() { return detail::processor_set::of_this_process(); }

 private:
  struct meeting {
    shared_memory memory;
    memory_world::meanwhile meanwhile;
    // a microsecond or two: as long as the kernel takes to put us to sleep and wake us
    int looks = 100;
    std::uint32_t steps = 0;  // of this rank; wraps around
  };
  // Whole pairs of cache lines, which processors fetch together. The number is the last to be
  // written, and the first to be read.
  struct slot {
    alignas(128) std::uint32_t number;
    std::uint32_t bytes;
    alignas(8) std::byte content[slot_bytes];
  };

  // Puts `mine` into this rank's slot, then calls `use` for the slots of all ranks, with what they
  // have put there.
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

static_assert(agreeing<memory_world>);
static_assert(node_waiting<memory_world>);

}  // namespace argosy
