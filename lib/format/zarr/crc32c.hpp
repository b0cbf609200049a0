// The checksum crc32c of Zarr's codec and of indices of shards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace argosy::detail {

// Returns the CRC-32 of Castagnoli's polynomial.
std::uint32_t crc32c(std::span<std::byte const> data) noexcept;

// Returns an unsigned number of little-endian bytes, or writes one.
template <class T>
T little(std::byte const* from) noexcept {
  T n = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    n |= static_cast<T>(static_cast<T>(from[i]) << (8 * i));
  return n;
}
template <class T>
void put_little(T n, std::byte* to) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::byte>(n >> (8 * i));
}

}  // namespace argosy::detail
