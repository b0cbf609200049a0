// CRC-32 as zlib computes it, and as it is put together of parts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace argosy::detail {

// As zlib's crc32.
std::uint32_t crc32(std::span<std::byte const> data) noexcept;

// The sum of a stretch of bytes in a block of zeros is linear: the sums of all parts, put together
// by exclusive or, are that of the whole.
class partial_crc {
 public:
  // The next bytes of the block, `gap` bytes behind the last ones.
  void add(std::int64_t gap, std::span<std::byte const> data) noexcept;
  // Zeros up to the end, which is `left` bytes behind the last ones.
  std::uint32_t finish(std::int64_t left) noexcept;

  // What zlib tells of a block of so many bytes, whose parts have this sum.
  static std::uint32_t whole(std::uint32_t sum, std::int64_t bytes) noexcept;

 private:
  void pass(std::int64_t zeros) noexcept;
  std::uint32_t state_ = 0;
  std::int64_t last_gap_ = 0;
  std::uint32_t last_factor_ = 0;  // x to the 8 * last_gap_
};

}  // namespace argosy::detail
