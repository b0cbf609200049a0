// The innermost copy loops: evenly spaced pieces of one length, specialised by that length.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <argosy/layout/number.hpp>

namespace argosy::detail {

// Lengths up to this one are copied in place. Compilers expand a longer copy of a fixed length to
// `rep movs`, which starts slowly. The library's memcpy is called instead if the length does not
// look fixed.
//
// From a few KiB on, memcpy also uses `rep movs`. On some processors that is more than ten times
// slower than its vector loop, if the target starts 1 to 63 bytes after the source modulo 4 KiB.
// Long pieces are therefore copied in parts, as long as they fit into a cache.
// docs/develop/kernels.md has numbers.
inline constexpr std::int64_t longest_inline_bytes = 256;
inline constexpr std::int64_t longest_vector_bytes = 2048;
inline constexpr std::int64_t longest_cached_bytes = 256 << 10;

template <class Length>
inline void copy_piece(std::byte* to, std::byte const* from, Length length) {
  if constexpr (is_fixed<Length>) {
    if constexpr (Length::value > longest_inline_bytes) {
      std::int64_t n = length;
      asm("" : "+r"(n));
      copy_piece(to, from, n);
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(Length::value));
    }
  } else {
    std::int64_t n = length;
    if (n > longest_vector_bytes && n <= longest_cached_bytes) {
      std::int64_t bit = longest_vector_bytes;
      asm("" : "+r"(bit));
      for (; n > bit; n -= bit, to += bit, from += bit)
        std::memcpy(to, from, static_cast<std::size_t>(bit));
    }
    std::memcpy(to, from, static_cast<std::size_t>(n));
  }
}

// Copies `count` pieces of `length` bytes. Numbers are fixed if the loop is worth specialising: a
// fixed length becomes plain loads and stores, and fixed strides allow vector shuffles.
template <class Length, class ToStride, class FromStride, class Count>
inline void copy_pieces(std::byte* __restrict to, ToStride to_stride,
                        std::byte const* __restrict from, FromStride from_stride, Count count,
                        Length length) {
  for (std::int64_t i = 0; i < count; ++i)
    copy_piece(to + i * to_stride, from + i * from_stride, length);
}

// Calls f(fixed<length>) for the small lengths of common data, and f(length) for all others.
template <class F>
inline void with_length(std::int64_t length, F&& f) {
  switch (length) {
    case 1:
      return f(constant<1>);
    case 2:
      return f(constant<2>);
    case 3:
      return f(constant<3>);
    case 4:
      return f(constant<4>);
    case 6:
      return f(constant<6>);
    case 8:
      return f(constant<8>);
    case 12:
      return f(constant<12>);
    case 16:
      return f(constant<16>);
    case 20:
      return f(constant<20>);
    case 24:
      return f(constant<24>);
    case 32:
      return f(constant<32>);
    case 40:
      return f(constant<40>);
    case 48:
      return f(constant<48>);
    case 56:
      return f(constant<56>);
    case 64:
      return f(constant<64>);
    case 80:
      return f(constant<80>);
    case 96:
      return f(constant<96>);
    case 128:
      return f(constant<128>);
    case 256:
      return f(constant<256>);
    default:
      return f(length);
  }
}

// Copies pieces, with the strides of the common cases fixed as well: one side dense, the other
// dense or every second.
inline void copy_strided(std::byte* to, std::int64_t to_stride, std::byte const* from,
                         std::int64_t from_stride, std::int64_t count, std::int64_t length) {
  with_length(length, [&](auto n) {
    if constexpr (is_fixed<decltype(n)>) {
      if constexpr (n <= 16) {
        constexpr auto twice = constant<2 * decltype(n)::value>;
        if (to_stride == n && from_stride == twice)
          return copy_pieces(to, n, from, twice, count, n);
        if (to_stride == twice && from_stride == n)
          return copy_pieces(to, twice, from, n, count, n);
      }
      if (to_stride == n) return copy_pieces(to, n, from, from_stride, count, n);
      if (from_stride == n) return copy_pieces(to, to_stride, from, n, count, n);
    }
    copy_pieces(to, to_stride, from, from_stride, count, n);
  });
}

// Calls f(fixed<parts>) for the few numbers of elements of a common cell, and f(parts) for all
// others.
template <class F>
inline void with_parts(std::int64_t parts, F&& f) {
  switch (parts) {
    case 2:
      return f(constant<2>);
    case 3:
      return f(constant<3>);
    case 4:
      return f(constant<4>);
    case 5:
      return f(constant<5>);
    case 6:
      return f(constant<6>);
    default:
      return f(parts);
  }
}

// Copies `count` pieces on one side, each of which is `parts` pieces of `length` bytes on the
// other, `part_stride` apart. Cells of a few numbers are copied without an inner loop.
inline void copy_parts(std::byte* to, std::int64_t to_stride, std::int64_t to_part_stride,
                       std::byte const* from, std::int64_t from_stride,
                       std::int64_t from_part_stride, std::int64_t count, std::int64_t parts,
                       std::int64_t length) {
  auto const rows = [=](auto m, auto n) {
    for (std::int64_t i = 0; i < count; ++i)
      if (from_part_stride == n)
        copy_pieces(to + i * to_stride, to_part_stride, from + i * from_stride, n, m, n);
      else
        copy_pieces(to + i * to_stride, n, from + i * from_stride, from_part_stride, m, n);
  };
  with_length(length, [=](auto n) {
    if constexpr (std::same_as<decltype(n), fixed<4>> || std::same_as<decltype(n), fixed<8>>)
      with_parts(parts, [=](auto m) { rows(m, n); });
    else
      rows(parts, n);
  });
}

}  // namespace argosy::detail
