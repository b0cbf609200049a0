// Implements world/memory_world.hpp: how ranks meet, step by step.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/memory_world.hpp>

#include <algorithm>
#include <atomic>
#include <string>

#include "node_segment.hpp"
#include "share_segment.hpp"

namespace argosy {
namespace {

// Counts of ranks that have come to even and odd steps; each on a cache line of its own.
struct counters {
  alignas(64) std::uint32_t come[2];
};
constexpr std::size_t front = 64;
static_assert(sizeof(counters) <= front);

}  // namespace

std::size_t memory_world::bytes_for(int size) noexcept {
  return front + 2 * static_cast<std::size_t>(size) * slot_bytes;
}

std::byte const* memory_world::meet(std::span<std::byte const> mine) const {
  std::byte* const first = memory_->memory.bytes().data();
  std::uint64_t const number = memory_->steps++;
  auto const size = static_cast<std::uint32_t>(size_);
  std::byte* const slots = first + front + static_cast<std::size_t>((number & 1) * size) * slot_bytes;
  std::copy(mine.begin(), mine.end(), slots + static_cast<std::size_t>(rank_) * slot_bytes);
  std::uint32_t& word = static_cast<counters*>(static_cast<void*>(first))->come[number & 1];
  std::atomic_ref<std::uint32_t> const come(word);
  auto const all = static_cast<std::uint32_t>((number / 2 + 1) * size);  // wraps around
  if (come.fetch_add(1, std::memory_order_acq_rel) + 1 == all) {
    wake(word);
  } else {
    for (std::uint32_t seen = come.load(std::memory_order_acquire); static_cast<std::int32_t>(seen - all) < 0;
         seen = come.load(std::memory_order_acquire))
      memory_->wait(word, seen);
  }
  return slots;
}

void memory_world::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
  for (std::size_t from = 0; from < mine.size(); from += slot_bytes) {
    std::size_t const part = std::min(slot_bytes, mine.size() - from);
    step(mine.subspan(from, part), part, [&](std::byte const* slot, int r) {
      std::memmove(all.data() + static_cast<std::size_t>(r) * mine.size() + from, slot, part);
    });
  }
}

void memory_world::broadcast(std::span<std::byte> message, int root) const {
  for (std::size_t from = 0; from < message.size(); from += slot_bytes) {
    std::span<std::byte> const part = message.subspan(from, std::min(slot_bytes, message.size() - from));
    std::span<std::byte const> const mine = rank_ == root ? part : std::span<std::byte>();
    step(mine, part.size(), [&](std::byte const* slot, int r) {
      if (r == root && rank_ != root) std::memcpy(part.data(), slot, part.size());
    });
  }
}

std::int64_t memory_world::exclusive_sum(std::int64_t mine) const {
  std::uint64_t before = 0;
  step(std::as_bytes(std::span(&mine, 1)), sizeof mine, [&](std::byte const* slot, int r) {
    std::uint64_t other = 0;
    std::memcpy(&other, slot, sizeof other);
    if (r < rank_) before += other;
  });
  return static_cast<std::int64_t>(before);
}

shared_memory memory_world::share(std::size_t bytes, std::error_code& error) const {
  return detail::share_segment(*this, bytes, error);
}
shared_memory memory_world::share(std::size_t bytes) const {
  std::error_code error;
  shared_memory result = share(bytes, error);
  if (error) throw std::system_error(error, "argosy::memory_world::share: " + std::to_string(bytes) + " bytes");
  return result;
}

void memory_world::wait(std::uint32_t& word, std::uint32_t seen) noexcept {
  constexpr int looks = 100;  // a microsecond or two: as long as the kernel takes to put us to sleep and wake us
  std::atomic_ref<std::uint32_t> const w(word);
  for (int i = 0; i < looks; ++i)
    if (w.load(std::memory_order_acquire) != seen) return;
  detail::node_segment::wait(word, seen);
}

void memory_world::wake(std::uint32_t& word) noexcept { detail::node_segment::wake(word); }

}  // namespace argosy
