// Implements crc32.hpp: eight bytes at a time by tables; gaps by multiplication with a power of x.
// SPDX-License-Identifier: BSD-3-Clause
#include "crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace argosy::detail {

namespace {

// polynomial of zlib, lowest power in the highest bit
constexpr std::uint32_t polynomial = 0xedb88320;

constexpr auto tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = c >> 1 ^ (c & 1 ? polynomial : 0);
    t[0][i] = c;
  }
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t k = 1; k < 8; ++k) t[k][i] = t[k - 1][i] >> 8 ^ t[0][t[k - 1][i] & 255];
  return t;
}();

constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (std::uint32_t bit = std::uint32_t{1} << 31; a != 0; bit >>= 1) {
    if (a & bit) {
      sum ^= b;
      a ^= bit;
    }
    b = b >> 1 ^ (b & 1 ? polynomial : 0);
  }
  return sum;
}

// x to the 8 * 2^k.
constexpr auto powers = [] {
  std::array<std::uint32_t, 64> p{};
  p[0] = std::uint32_t{1} << 23;
  for (std::size_t k = 1; k < p.size(); ++k) p[k] = product(p[k - 1], p[k - 1]);
  return p;
}();

std::uint32_t power(std::int64_t bytes) {
  std::uint32_t all = std::uint32_t{1} << 31;
  for (std::size_t k = 0; bytes != 0; ++k, bytes >>= 1)
    if (bytes & 1) all = product(powers[k], all);
  return all;
}

std::uint32_t through(std::uint32_t c, std::span<std::byte const> data) noexcept {
  std::byte const* p = data.data();
  std::size_t n = data.size();
  if constexpr (std::endian::native == std::endian::little) {
    for (; n >= 8; n -= 8, p += 8) {
      std::uint32_t low = 0, high = 0;
      std::memcpy(&low, p, 4);
      std::memcpy(&high, p + 4, 4);
      low ^= c;
      c = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^
          tables[4][low >> 24] ^ tables[3][high & 255] ^ tables[2][high >> 8 & 255] ^
          tables[1][high >> 16 & 255] ^ tables[0][high >> 24];
    }
  }
  for (; n > 0; --n, ++p) c = tables[0][(c ^ std::to_integer<std::uint32_t>(*p)) & 255] ^ c >> 8;
  return c;
}

}  // namespace

std::uint32_t crc32(std::span<std::byte const> data) noexcept {
  return ~through(~std::uint32_t{0}, data);
}

void partial_crc::pass(std::int64_t zeros) noexcept {
  if (zeros == 0 || state_ == 0) return;
  if (zeros != last_gap_) {
    last_gap_ = zeros;
    last_factor_ = power(zeros);
  }
  state_ = product(last_factor_, state_);
}

void partial_crc::add(std::int64_t gap, std::span<std::byte const> data) noexcept {
  pass(gap);
  state_ = through(state_, data);
}

std::uint32_t partial_crc::finish(std::int64_t left) noexcept {
  pass(left);
  return state_;
}

std::uint32_t partial_crc::whole(std::uint32_t sum, std::int64_t bytes) noexcept {
  return ~(sum ^ product(power(bytes), ~std::uint32_t{0}));
}

}  // namespace argosy::detail
