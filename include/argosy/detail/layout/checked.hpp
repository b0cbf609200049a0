// 64-bit arithmetic that refuses to wrap: a layout never describes bytes beyond 2^63.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/layout/error.hpp>

namespace argosy::detail {

[[noreturn]] inline void throw_overflow() {
  throw invalid_layout("argosy: a size or offset of this layout exceeds 2^63 - 1 bytes; check counts and strides");
}

constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw_overflow();
  return sum;
}

constexpr std::int64_t sub(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) throw_overflow();
  return difference;
}

constexpr std::int64_t mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw_overflow();
  return product;
}

// Division that rounds down, for b > 0: window arithmetic meets negative offsets.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace argosy::detail
