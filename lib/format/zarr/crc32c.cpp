// Implements crc32c.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "crc32c.hpp"

#include <array>

namespace argosy::detail {

namespace {

// Table k has the sums of a byte that k zero bytes follow.
constexpr auto castagnoli = [] {
  std::array<std::array<std::uint32_t, 256>, 8> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) != 0 ? 0x82f63b78u : 0u);
    t[0][i] = c;
  }
  for (std::uint32_t i = 0; i < 256; ++i)
    for (std::size_t k = 1; k < 8; ++k) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xff];
  return t;
}();

}  // namespace

std::uint32_t crc32c(std::span<std::byte const> data) noexcept {
  std::uint32_t c = 0xffffffff;
  std::byte const* p = data.data();
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t const x = little<std::uint64_t>(p) ^ c;
    c = 0;
    for (std::size_t k = 0; k < 8; ++k) c ^= castagnoli[7 - k][x >> (8 * k) & 0xff];
  }
  for (; left > 0; --left, ++p)
    c = (c >> 8) ^ castagnoli[0][(c ^ static_cast<std::uint32_t>(*p)) & 0xff];
  return ~c;
}

}  // namespace argosy::detail
