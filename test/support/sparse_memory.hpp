// Address space for layouts wider than memory. Only the pages that are touched exist.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include <argosy/layout/layout.hpp>

namespace argosy::test {

using namespace extend;

class sparse_memory {
 public:
  // The widest allowed size, which every 64-bit system can provide.
  static constexpr std::int64_t widest = std::int64_t{1} << 44;

  // Reserves the memory; bytes are 0 until they are written. The system may refuse: check `good`.
  explicit sparse_memory(layout const& l)
      : low_(l.true_lower_bound()), size_(static_cast<std::size_t>(l.true_extent())) {
    // The mapping is shared, although with no other process, because limits of a process's own
    // memory do not count shared mappings.
    void* const got = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got != MAP_FAILED) bytes_ = static_cast<std::byte*>(got);
  }
  sparse_memory(sparse_memory&& other) noexcept
      : low_(other.low_), size_(other.size_), bytes_(std::exchange(other.bytes_, nullptr)) {}
  ~sparse_memory() {
    if (bytes_ != nullptr) ::munmap(bytes_, size_);
  }

  bool good() const { return bytes_ != nullptr; }
  std::byte* origin() { return bytes_ - low_; }

  void write(std::span<piece const> pieces, std::byte const* stream) {
    for (piece const& p : pieces) {
      std::memcpy(bytes_ + (p.offset - low_), stream, static_cast<std::size_t>(p.length));
      stream += p.length;
    }
  }
  std::vector<std::byte> read(std::span<piece const> pieces) const {
    std::vector<std::byte> stream;
    for (piece const& p : pieces)
      stream.insert(stream.end(), bytes_ + (p.offset - low_), bytes_ + (p.end() - low_));
    return stream;
  }

 private:
  std::int64_t low_;
  std::size_t size_;
  std::byte* bytes_ = nullptr;
};

}  // namespace argosy::test
