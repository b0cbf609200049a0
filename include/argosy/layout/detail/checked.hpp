// 64-bit arithmetic that refuses to wrap: a layout never describes bytes beyond 2^63, and from its
// lowest byte or bound to its highest it is less than 2^63 bytes, so that any two offsets of one
// layout have a difference.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <argosy/layout/detail/linked.hpp>

namespace argosy::detail {

// Texts stand where they are thrown: a compiler that meets the call in a constant expression prints
// that line.
[[noreturn]] void throw_overflow(char const* text);
[[noreturn]] void throw_too_wide(char const* text, std::int64_t low, std::int64_t high);
[[noreturn]] void throw_negative(char const* where, char const* what, std::int64_t value);
[[noreturn]] void throw_sizes_of_table(std::size_t offsets, std::size_t lengths);

constexpr void refuse_overflow(bool overflow) {
  if (overflow)
    throw_overflow(
        "argosy: a size or offset of this layout exceeds 2^63 - 1 bytes; check counts and strides");
}

// Checks the span of all bytes and bounds of a layout, which lie within [low, high].
constexpr void require_span(std::int64_t low, std::int64_t high) {
  std::int64_t span = 0;
  if (__builtin_sub_overflow(high, low, &span))
    throw_too_wide(
        "argosy: this layout spans more than 2^63 - 1 bytes; check displacements, strides and "
        "bounds",
        low, high);
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

// Arithmetic that wraps, to ask whether an offset of a layout is where the next copy would lie,
// which may be beyond 2^63. The answer is exact: offsets that differ by less than 2^63 from the
// last copy and equal the next one only modulo 2^64 would need a stride of 2^63 or more.
constexpr std::int64_t wrapping_add(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// Division that rounds down, for b > 0: window arithmetic meets negative offsets.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace argosy::detail

#ifndef ARGOSY_LINKED
#include <argosy/layout/detail/faults.hpp>
#endif
