// Implements world/memory_world.hpp: how ranks synchronise, step by step.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/memory_world.hpp>

#include <algorithm>
#include <atomic>
#include <string>

#include "node_segment.hpp"
#include "share_segment.hpp"

namespace argosy {

namespace {

// Counts ranks that sleep, or are about to. A rank that arrives wakes them.
struct front {
  alignas(128) std::uint32_t sleepers;
};

}  // namespace

std::size_t extend::memory_world::bytes_for(int size) noexcept {
  return sizeof(front) + 2 * static_cast<std::size_t>(size) * sizeof(slot);
}

extend::memory_world::slot const* extend::memory_world::meet(
    std::span<std::byte const> mine) const {
  meeting& all = *memory_;
  std::byte* const first = all.memory.bytes().data();
  std::uint32_t const number = ++all.steps;
  auto* const slots =
      static_cast<slot*>(static_cast<void*>(first + sizeof(front))) + (number & 1 ? size_ : 0);
  slot& own = slots[rank_];
  if (!mine.empty()) std::memcpy(own.content, mine.data(), mine.size());
  own.bytes = static_cast<std::uint32_t>(mine.size());
  // This rank writes its number, then looks for sleepers. A sleeper counts itself, then looks at
  // the number. So at least one of the two sees the other.
  std::atomic_ref<std::uint32_t>(own.number).exchange(number, std::memory_order_seq_cst);
  if (std::atomic_ref<std::uint32_t>(static_cast<front*>(static_cast<void*>(first))->sleepers)
          .load(std::memory_order_seq_cst) != 0) [[unlikely]]
    wake(own.number);
  for (int r = 0; r < size_; ++r)
    if (r != rank_) wait_for(slots[r], number);
  return slots;
}

void extend::memory_world::wait_for(slot& other, std::uint32_t number) const {
  meeting const& all = *memory_;
  std::atomic_ref<std::uint32_t> const word(other.number);
  for (int i = 0; i < all.looks; ++i)
    if (word.load(std::memory_order_acquire) == number) return;
  if (all.meanwhile) {
    for (unsigned times = 0; word.load(std::memory_order_acquire) != number; ++times)
      all.meanwhile(times);
    return;
  }
  std::atomic_ref<std::uint32_t> const sleepers(
      static_cast<front*>(static_cast<void*>(all.memory.bytes().data()))->sleepers);
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  for (std::uint32_t seen = word.load(std::memory_order_acquire); seen != number;
       seen = word.load(std::memory_order_acquire))
    detail::node_segment::wait(other.number, seen);
  sleepers.fetch_sub(1, std::memory_order_relaxed);
}

void extend::memory_world::all_gather(std::span<std::byte const> mine,
                                      std::span<std::byte> all) const {
  for (std::size_t from = 0; from < mine.size(); from += slot_bytes) {
    std::size_t const part = std::min(slot_bytes, mine.size() - from);
    step(mine.subspan(from, part), [&](std::byte const* theirs, std::size_t, int r) {
      std::memmove(all.data() + static_cast<std::size_t>(r) * mine.size() + from, theirs, part);
    });
  }
}

void extend::memory_world::broadcast(std::span<std::byte> message, int root) const {
  for (std::size_t from = 0; from < message.size(); from += slot_bytes) {
    std::span<std::byte> const part =
        message.subspan(from, std::min(slot_bytes, message.size() - from));
    std::span<std::byte const> const mine = rank_ == root ? part : std::span<std::byte>();
    step(mine, [&](std::byte const* theirs, std::size_t, int r) {
      if (r == root && rank_ != root) std::memcpy(part.data(), theirs, part.size());
    });
  }
}

std::int64_t extend::memory_world::exclusive_sum(std::int64_t mine) const {
  std::uint64_t before = 0;
  step(std::as_bytes(std::span(&mine, 1)), [&](std::byte const* theirs, std::size_t, int r) {
    std::uint64_t other = 0;
    std::memcpy(&other, theirs, sizeof other);
    if (r < rank_) before += other;
  });
  return static_cast<std::int64_t>(before);
}

extend::shared_memory extend::memory_world::share(std::size_t bytes, std::error_code& error) const {
  return detail::share_segment(*this, bytes, error);
}
extend::shared_memory extend::memory_world::share(std::size_t bytes) const {
  std::error_code error;
  extend::shared_memory result = share(bytes, error);
  if (error)
    throw std::system_error(
        error, "argosy::extend::memory_world::share: " + std::to_string(bytes) + " bytes");
  return result;
}

void extend::memory_world::wait(std::uint32_t& word, std::uint32_t seen,
                                std::chrono::milliseconds longest) noexcept {
  // takes one or two microseconds, as long as the kernel needs to put a rank to sleep and wake it
  constexpr int looks = 100;
  std::atomic_ref<std::uint32_t> const w(word);
  for (int i = 0; i < looks; ++i)
    if (w.load(std::memory_order_acquire) != seen) return;
  detail::node_segment::wait(word, seen, longest);
}

void extend::memory_world::wake(std::uint32_t& word) noexcept { detail::node_segment::wake(word); }

}  // namespace argosy
