// CRC-32 as zlib computes it, and its combination from parts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace argosy::detail {

// Returns zlib's crc32.
std::uint32_t crc32(std::span<std::byte const> data) noexcept;

// The CRC of some bytes in a block of zeros. It is linear: the exclusive or of the CRCs of all
// parts is the CRC of the whole.
class partial_crc {
 public:
  // Adds the next bytes of the block, `gap` bytes behind the last ones.
  void add(std::int64_t gap, std::span<std::byte const> data) noexcept;
  // Adds zeros up to the end, which is `left` bytes behind the last ones, and returns the sum.
  std::uint32_t finish(std::int64_t left) noexcept;

  // Returns zlib's CRC of a block of so many bytes, if its parts have this sum.
  static std::uint32_t whole(std::uint32_t sum, std::int64_t bytes) noexcept;

 private:
  void pass(std::int64_t zeros) noexcept;
  std::uint32_t state_ = 0;
  std::int64_t last_gap_ = 0;
  std::uint32_t last_factor_ = 0;  // x to the 8 * last_gap_
};

}  // namespace argosy::detail
