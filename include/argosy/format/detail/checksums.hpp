// Checksums of blocks, combined from the parts of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <argosy/datatype/buffer.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

std::uint32_t checksum_of(std::span<std::byte const> block) noexcept;
std::uint32_t checksum_from(std::span<std::byte const, 4> stored) noexcept;
void store_checksum(std::uint32_t sum, std::span<std::byte, 4> into) noexcept;

// Returns h(end) - h(begin); block_part::cover is the sum of these.
std::uint64_t cover_of_piece(std::int64_t begin, std::int64_t end) noexcept;

// The sums of one rank for a block, or of all ranks together.
struct block_part {
  std::int64_t block = 0;
  std::uint32_t sum = 0;  // CRC of its bytes, with zeros for those of other ranks
  std::uint32_t pieces = 0;
  // Sum over all pieces of h(end) - h(begin) for a random function h. It is h(bytes of the block) -
  // h(0) if the pieces cover the block exactly once, and otherwise only by a chance of 2^-64.
  std::uint64_t cover = 0;
  std::int64_t length = 0;  // sum of the pieces

  void combine(block_part const& other) noexcept {
    sum ^= other.sum;
    pieces += other.pieces;
    cover += other.cover;
    length += other.length;
  }
  bool covers(std::int64_t bytes) const noexcept;
  // Returns the CRC of the whole block, if the pieces cover it.
  std::uint32_t whole(std::int64_t bytes) const noexcept;
};

// Returns the parts of a rank in the order of the blocks. The rank's stream lies at the pieces of
// `filetype` in the file, and in memory as `data` describes. Precondition: the filetype is sorted.
std::vector<block_part> block_parts(layout const& filetype, const_buffer const& data,
                                    std::int64_t block_bytes, std::int64_t all_bytes);

}  // namespace argosy::detail
