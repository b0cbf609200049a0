// Memory that the ranks of a node share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

#include <argosy/extend.hpp>

namespace argosy::extend {

// One rank's share in a segment of memory that all ranks of a node communicator can access. Made by
// `share` of a world; see node_sharing.
//
//   auto staging = node.share(window_bytes);
//   std::atomic_ref<int> ready(*new (staging.bytes().data()) int(0));
//
// - The address of the segment differs from rank to rank. Store offsets in it, not pointers.
// - Use std::atomic_ref for data that several ranks access at a time, with the memory orders that
//   threads would use. A type for which it is always lock-free works between processes, too.
//   Messages, barriers and other collective calls order accesses by themselves.
// - Any thread may use and destroy it. The destructor releases this rank's share. It is local and
//   does not call MPI. The memory lives until the last rank has released its share.
class shared_memory {
 public:
  // A segment starts at a multiple of this, whatever the page size of the system.
  static constexpr std::size_t alignment_bytes = 4096;

  shared_memory() noexcept = default;
  // For implementations of worlds. The deleter of `first` releases the share.
  shared_memory(std::shared_ptr<std::byte> first, std::size_t size) noexcept
      : first_(std::move(first)), size_(size) {}
  // Returns zeroed memory of this process alone; empty if there is no memory left. Pages that are
  // never accessed cost nothing.
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

  // Returns all bytes; empty if this was moved from. Valid until the last share of this process in
  // the segment is destroyed.
  std::span<std::byte> bytes() const noexcept {
    if (!first_) return {};
    return {first_.get(), size_};
  }
  // Returns a share in the bytes [from, from + size) of the segment. It may outlive this object.
  // Precondition: the bytes lie in bytes(). `from` must be a multiple of the alignment that its
  // user needs.
  shared_memory part(std::size_t from, std::size_t size) const noexcept {
    return first_ ? shared_memory({first_, first_.get() + from}, size) : shared_memory();
  }

 private:
  std::shared_ptr<std::byte> first_;
  std::size_t size_ = 0;
};

}  // namespace argosy::extend
