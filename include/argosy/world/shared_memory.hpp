// Memory that the ranks of a node share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

namespace argosy {

// One rank's hold on a segment that all ranks of a node communicator see. Made by `share` of a
// world, see node_sharing.
//
//   auto staging = node.share(window_bytes);
//   std::atomic_ref<int> ready(*new (staging.bytes().data()) int(0));
//
// - Where the segment lies differs from rank to rank: keep offsets in it, not pointers.
// - What several ranks touch at a time goes through std::atomic_ref, with the memory orders that
//   threads would use; types for which it is always lock-free work between processes, too. What is
//   handed over by a message, barrier or other collective call is ordered by that call.
// - Any thread may use it and destroy it. The destructor gives back this rank's hold; it is local
//   and makes no call of MPI. The memory lives until the last rank has let go.
class shared_memory {
 public:
  // Whatever its page is, a segment starts at a multiple of this.
  static constexpr std::size_t alignment_bytes = 4096;

  shared_memory() noexcept = default;
  // For implementations of worlds. The deleter of `first` gives the hold back.
  shared_memory(std::shared_ptr<std::byte> first, std::size_t size) noexcept
      : first_(std::move(first)), size_(size) {}
  // Zeroed memory of this process alone; empty if there is none left. Pages that nobody touches
  // cost nothing.
  static shared_memory private_zeros(std::size_t bytes) noexcept {
    if (bytes > PTRDIFF_MAX - alignment_bytes) return {};
    void* const all = std::calloc(bytes + alignment_bytes, 1);
    if (!all) return {};
    void* first = all;
    std::size_t room = bytes + alignment_bytes;
    std::align(alignment_bytes, bytes, first, room);
    return {std::shared_ptr<std::byte>(static_cast<std::byte*>(first),
                                       [all](std::byte*) { std::free(all); }),
            bytes};
  }
  shared_memory(shared_memory&&) noexcept = default;
  shared_memory& operator=(shared_memory&&) noexcept = default;

  // All bytes; empty if this was moved from.
  std::span<std::byte> bytes() const noexcept {
    if (!first_) return {};
    return {first_.get(), size_};
  }
  // A hold on a part of the segment; `from` must be a multiple of the alignment that its user
  // needs.
  shared_memory part(std::size_t from, std::size_t size) const noexcept {
    return first_ ? shared_memory({first_, first_.get() + from}, size) : shared_memory();
  }

 private:
  std::shared_ptr<std::byte> first_;
  std::size_t size_ = 0;
};

}  // namespace argosy
