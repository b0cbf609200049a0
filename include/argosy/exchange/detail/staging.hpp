// Staging memory: a buffer that is kept for later calls, because touching fresh pages costs as much
// as copying.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace argosy::detail {

class staging {
 public:
  // Returns at least `bytes` bytes, not cleared. Earlier contents may be lost.
  std::byte* get(std::int64_t bytes) {
    if (bytes > size_) {
      memory_.reset();
      size_ = 0;
      memory_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
      size_ = bytes;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::int64_t size_ = 0;
};

}  // namespace argosy::detail
