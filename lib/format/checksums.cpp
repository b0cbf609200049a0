// Implements format/detail/checksums.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/checksums.hpp>

#include <algorithm>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/pack.hpp>

#include "crc32.hpp"

namespace argosy::detail {

namespace {

constexpr std::int64_t packed_bytes = 256 << 10;

// Returns the value of splitmix64.
constexpr std::uint64_t random_at(std::int64_t offset) {
  std::uint64_t x = static_cast<std::uint64_t>(offset) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

}  // namespace

std::uint32_t checksum_of(std::span<std::byte const> block) noexcept { return crc32(block); }

std::uint32_t checksum_from(std::span<std::byte const, 4> stored) noexcept {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < 4; ++i) all |= std::to_integer<std::uint32_t>(stored[i]) << (8 * i);
  return all;
}

void store_checksum(std::uint32_t sum, std::span<std::byte, 4> into) noexcept {
  for (std::size_t i = 0; i < 4; ++i) into[i] = static_cast<std::byte>(sum >> (8 * i) & 0xff);
}

std::uint64_t cover_of_piece(std::int64_t begin, std::int64_t end) noexcept {
  return random_at(end) - random_at(begin);
}

bool block_part::covers(std::int64_t bytes) const noexcept {
  return cover == random_at(bytes) - random_at(0);
}

std::uint32_t block_part::whole(std::int64_t bytes) const noexcept {
  return partial_crc::whole(sum, bytes);
}

std::vector<block_part> block_parts(layout const& filetype, const_buffer const& data,
                                    std::int64_t block_bytes, std::int64_t all_bytes) {
  std::vector<block_part> parts;
  std::vector<std::byte> packed(static_cast<std::size_t>(std::min(packed_bytes, data.size())));
  partial_crc crc;
  std::int64_t at = 0;  // position in the block, behind the last piece
  auto const finish = [&] {
    block_part& p = parts.back();
    std::int64_t const bytes = std::min(block_bytes, all_bytes - p.block * block_bytes);
    p.sum = crc.finish(bytes - at);
  };
  std::int64_t first = 0, last = 0;  // packed range of the stream
  for (cursor c(filetype); !c.done();) {
    if (c.position() == last) {
      first = last;
      last = std::min(first + packed_bytes, data.size());
      if (first == last) break;
      pack(data.form(), data.address(), first, last, packed.data());
    }
    piece const p = c.current();
    std::int64_t const block = p.offset / block_bytes, begin = p.offset % block_bytes;
    std::int64_t const n = std::min({p.length, block_bytes - begin, last - c.position()});
    if (parts.empty() || parts.back().block != block) {
      if (!parts.empty()) finish();
      parts.push_back({.block = block});
      crc = {};
      at = 0;
    }
    crc.add(begin - at, std::span(packed).subspan(static_cast<std::size_t>(c.position() - first),
                                                  static_cast<std::size_t>(n)));
    at = begin + n;
    ++parts.back().pieces;
    parts.back().cover += cover_of_piece(begin, at);
    parts.back().length += n;
    c.advance(n);
  }
  if (!parts.empty()) finish();
  return parts;
}

}  // namespace argosy::detail
