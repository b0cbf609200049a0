// 64-bit arithmetic that refuses to wrap. A layout never describes bytes beyond 2^63. From its
// lowest byte or bound to its highest there are less than 2^63 bytes, so that the difference of any
// two of its offsets fits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <argosy/layout/detail/linked.hpp>

namespace argosy::detail {

// Each text stands at the throwing call, because a compiler prints that line if the call happens in
// a constant expression.
[[noreturn]] void throw_overflow(char const* text);
[[noreturn]] void throw_too_wide(char const* text, std::int64_t low, std::int64_t high);
[[noreturn]] void throw_negative(char const* where, char const* what, std::int64_t value);
[[noreturn]] void throw_sizes_of_table(std::size_t offsets, std::size_t lengths);

// In an error at compile time clang prints the line of a call: its text begins there.
constexpr void refuse_overflow(bool overflow) {
  // clang-format off
  if (overflow)
    throw_overflow("argosy: a size or offset of this layout exceeds 2^63 - 1 bytes; check "
                   "counts and strides");
  // clang-format on
}

// Checks the span of all bytes and bounds of a layout, which lie within [low, high].
constexpr void require_span(std::int64_t low, std::int64_t high) {
  std::int64_t span = 0;
  if (__builtin_sub_overflow(high, low, &span))
    // clang-format off
    throw_too_wide("argosy: this layout spans more than 2^63 - 1 bytes; check displacements, "
                   "strides and bounds", low, high);
  // clang-format on
}

constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  refuse_overflow(__builtin_add_overflow(a, b, &sum));
  return sum;
}

constexpr std::int64_t sub(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  refuse_overflow(__builtin_sub_overflow(a, b, &difference));
  return difference;
}

constexpr std::int64_t mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  refuse_overflow(__builtin_mul_overflow(a, b, &product));
  return product;
}

// Arithmetic that wraps. It compares an offset of a layout with the place of the next copy, which
// may be beyond 2^63. The comparison is exact: an offset that equals the next copy's only modulo
// 2^64, and differs by less than 2^63 from the last copy, would need a stride of 2^63 or more.
constexpr std::int64_t wrapping_add(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// Divides and rounds down, for b > 0. Offsets of windows may be negative.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace argosy::detail

#ifndef ARGOSY_LINKED
#include <argosy/layout/detail/faults.hpp>
#endif
