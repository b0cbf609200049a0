// Memory for many messages of a round. Pieces of it stay valid while more pieces are taken.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace argosy::detail {

// Kept for later rounds, since touching fresh pages costs as much as copying.
class chunks {
 public:
  // Returns memory that is valid until clear(). Its bytes are not cleared.
  std::byte* get(std::int64_t bytes) {
    for (; at_ < all_.size(); ++at_, used_ = 0)
      if (used_ + bytes <= all_[at_].bytes) return take(bytes);
    std::int64_t const size = std::max(bytes, least_bytes);
    all_.push_back(
        {std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size)), size});
    return take(bytes);
  }
  void clear() noexcept { at_ = 0, used_ = 0; }

 private:
  static constexpr std::int64_t least_bytes = 64 << 10;
  struct chunk {
    std::unique_ptr<std::byte[]> memory;
    std::int64_t bytes;
  };
  std::byte* take(std::int64_t bytes) {
    std::byte* const place = all_[at_].memory.get() + used_;
    used_ += bytes;
    return place;
  }

  std::vector<chunk> all_;
  std::size_t at_ = 0;
  std::int64_t used_ = 0;
};

}  // namespace argosy::detail
