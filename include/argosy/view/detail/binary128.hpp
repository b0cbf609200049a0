// Converts between the 80-bit numbers of the x87 and IEEE binary128, as bit patterns. Exact, except
// that numbers with more than 64 bits are rounded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::detail {

struct x87 {
  std::uint64_t significand;    // bit 63 is the integer bit
  std::uint16_t sign_exponent;  // bit 15 is the sign; bias 16383
  friend constexpr bool operator==(x87 const&, x87 const&) = default;
};
struct binary128 {
  std::uint64_t high;  // sign, 15 bits of exponent with the same bias, 48 bits of fraction
  std::uint64_t low;   // 64 bits of fraction
  friend constexpr bool operator==(binary128 const&, binary128 const&) = default;
};

inline constexpr std::uint64_t exponent_mask = 0x7fff;

constexpr binary128 to_binary128(x87 x) noexcept {
  std::uint64_t const sign = std::uint64_t{x.sign_exponent} >> 15 << 63;
  std::uint64_t exponent = x.sign_exponent & exponent_mask;
  bool const integer_bit = x.significand >> 63 != 0;
  std::uint64_t const fraction = x.significand << 1 >> 1;  // 63 bits, at the top of the 112
  if (exponent == 0) {
    // Denormals have the same exponent on both sides. A denormal with the integer bit set is in
    // fact a normal number.
    exponent = integer_bit ? 1 : 0;
  } else if (!integer_bit) {
    // invalid, and not a number since the 387
    return {sign | exponent_mask << 48 | std::uint64_t{1} << 47, 0};
  }
  return {sign | exponent << 48 | fraction >> 15, fraction << 49};
}

// Rounds to nearest, ties to even. Sets `fits` to false if a finite number would become infinite.
constexpr x87 to_x87(binary128 q, bool& fits) noexcept {
  std::uint64_t const sign = q.high >> 63 << 15;
  std::uint64_t exponent = q.high >> 48 & exponent_mask;
  std::uint64_t fraction = (q.high << 16 >> 16) << 15 | q.low >> 49;  // the upper 63 bits
  std::uint64_t const rest = q.low << 15 >> 15;                       // the lower 49
  constexpr std::uint64_t one = std::uint64_t{1} << 63, half = std::uint64_t{1} << 48;
  auto const make = [&](std::uint64_t significand) {
    return x87{significand, static_cast<std::uint16_t>(sign | exponent)};
  };
  if (exponent == exponent_mask) {
    if (fraction == 0 && rest == 0) return make(one);  // infinite
    return make(one | (fraction != 0 ? fraction : one >> 1));
  }
  bool const up = rest > half || (rest == half && (fraction & 1) != 0);
  std::uint64_t significand = (exponent == 0 ? 0 : one) | fraction;
  significand += up ? 1 : 0;
  if (exponent == 0) {
    if (significand >= one) exponent = 1;  // rounded up to the smallest normal number
  } else if (significand == 0) {           // all bits carried
    significand = one;
    if (++exponent == exponent_mask) fits = false;
  }
  return make(significand);
}

}  // namespace argosy::detail
