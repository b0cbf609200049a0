// The innermost copy loops: evenly spaced pieces of one length, specialised by that length.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <argosy/layout/number.hpp>

namespace argosy::detail {

// `count` pieces of `length` bytes. Each of the three numbers is fixed where the loop is worth specialising: a fixed
// length becomes plain loads and stores, fixed strides let the compiler use vector shuffles.
template <class Length, class ToStride, class FromStride>
inline void copy_pieces(std::byte* __restrict to, ToStride to_stride, std::byte const* __restrict from,
                        FromStride from_stride, std::int64_t count, Length length) {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<std::size_t>(std::int64_t{length}));
}

// Calls f(fixed<length>) for the small lengths that data is made of, f(length) for all others.
template <class F>
inline void with_length(std::int64_t length, F&& f) {
  switch (length) {
    case 1: return f(c<1>);
    case 2: return f(c<2>);
    case 3: return f(c<3>);
    case 4: return f(c<4>);
    case 6: return f(c<6>);
    case 8: return f(c<8>);
    case 12: return f(c<12>);
    case 16: return f(c<16>);
    case 20: return f(c<20>);
    case 24: return f(c<24>);
    case 32: return f(c<32>);
    case 40: return f(c<40>);
    case 48: return f(c<48>);
    case 56: return f(c<56>);
    case 64: return f(c<64>);
    case 80: return f(c<80>);
    case 96: return f(c<96>);
    case 128: return f(c<128>);
    default: return f(length);
  }
}

// The same, with the strides of the common cases fixed as well: dense on one side, every second or dense on the other.
inline void copy_strided(std::byte* to, std::int64_t to_stride, std::byte const* from, std::int64_t from_stride,
                         std::int64_t count, std::int64_t length) {
  with_length(length, [&](auto n) {
    if constexpr (is_fixed<decltype(n)>) {
      if constexpr (n <= 8) {
        constexpr auto twice = c<2 * decltype(n)::value>;
        if (to_stride == n && from_stride == twice) return copy_pieces(to, n, from, twice, count, n);
        if (to_stride == twice && from_stride == n) return copy_pieces(to, twice, from, n, count, n);
      }
      if (to_stride == n) return copy_pieces(to, n, from, from_stride, count, n);
      if (from_stride == n) return copy_pieces(to, to_stride, from, n, count, n);
    }
    copy_pieces(to, to_stride, from, from_stride, count, n);
  });
}

}  // namespace argosy::detail
