// Checksums of blocks, put together of the parts that ranks have.
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

// Returns h(end) - h(begin), of which block_part::cover is the sum.
std::uint64_t cover_of_piece(std::int64_t begin, std::int64_t end) noexcept;

// What a rank knows of a block, or all of them together.
struct block_part {
  std::int64_t block = 0;
  std::uint32_t sum = 0;  // of its bytes, with zeros for those of the others
  std::uint32_t pieces = 0;
  // Sum over all pieces of h(end) - h(begin), h a random function: it is h(bytes of the block) -
  // h(0) if the pieces cover the block exactly once, and else only by a chance of 2^-64.
  std::uint64_t cover = 0;
  std::int64_t length = 0;  // of the pieces, summed

  void combine(block_part const& other) noexcept {
    sum ^= other.sum;
    pieces += other.pieces;
    cover += other.cover;
    length += other.length;
  }
  bool covers(std::int64_t bytes) const noexcept;
  // Of the whole block, if this covers it.
  std::uint32_t whole(std::int64_t bytes) const noexcept;
};

// The parts of a rank whose stream lies at the pieces of `filetype` and in memory as `data` says;
// in order of the blocks. Sorted filetypes only.
std::vector<block_part> block_parts(layout const& filetype, const_buffer const& data,
                                    std::int64_t block_bytes, std::int64_t all_bytes);

}  // namespace argosy::detail
