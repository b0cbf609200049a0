// Ranges of blocks, and the token modes that a node may hold for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace argosy::lab::gpfs::detail {

using node_id = int;
using file_id = std::int64_t;

inline constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

// [begin, end) in blocks; `no_end` stands for infinity.
struct block_range {
  std::int64_t begin = 0, end = 0;

  constexpr bool empty() const { return begin >= end; }
  constexpr bool overlaps(block_range const& o) const { return begin < o.end && o.begin < end; }
  constexpr bool contains(block_range const& o) const { return begin <= o.begin && o.end <= end; }
  constexpr bool contains(std::int64_t block) const { return begin <= block && block < end; }
  friend constexpr block_range intersection(block_range const& a, block_range const& b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
  }
  friend constexpr bool operator==(block_range const&, block_range const&) = default;
};

// Returns the blocks that [offset, offset + length) touches.
constexpr block_range blocks_of(std::int64_t offset, std::int64_t length,
                                std::int64_t block_bytes) {
  if (length <= 0) return {offset / block_bytes, offset / block_bytes};
  return {offset / block_bytes, (offset + length - 1) / block_bytes + 1};
}

// In ascending order: each mode allows all that the one before allows.
enum class token_mode { none, read, write };

// Returns true if two different nodes cannot have these modes for one block.
constexpr bool conflict(token_mode a, token_mode b) {
  return a != token_mode::none && b != token_mode::none &&
         (a == token_mode::write || b == token_mode::write);
}

}  // namespace argosy::lab::gpfs::detail
