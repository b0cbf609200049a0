// Marks: which granules of a window are covered, a bit each. Exact where pieces of several ranks overlap, which counting bytes
// is not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

// Bits over words that somebody else owns.
class marks {
 public:
  static constexpr std::int64_t words_for(std::int64_t bits) noexcept { return (bits + 63) / 64; }

  constexpr explicit marks(std::span<std::uint64_t> words) noexcept : words_(words) {}

  constexpr void clear() { std::fill(words_.begin(), words_.end(), 0); }

  // Bits [from, to).
  constexpr void set(std::int64_t from, std::int64_t to) {
    if (from >= to) return;
    std::size_t const first = word(from), last = word(to - 1);
    std::uint64_t const head = ~std::uint64_t{0} << (from & 63), tail = ~std::uint64_t{0} >> (63 - ((to - 1) & 63));
    if (first == last) {
      words_[first] |= head & tail;
      return;
    }
    words_[first] |= head;
    for (std::size_t i = first + 1; i < last; ++i) words_[i] = ~std::uint64_t{0};
    words_[last] |= tail;
  }
  constexpr void merge(std::span<std::uint64_t const> other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other[i];
  }

  // The first bit at or after `from` that is set, or is not; `end` if there is none before it.
  constexpr std::int64_t next_set(std::int64_t from, std::int64_t end) const { return next(from, end, 0); }
  constexpr std::int64_t next_clear(std::int64_t from, std::int64_t end) const {
    return next(from, end, ~std::uint64_t{0});
  }

  // Sets the bits of bytes [from, to) of the stream of `l`. Bit 0 is the granule at offset `origin`; pieces are whole granules.
  constexpr void set(layout const& l, std::int64_t from, std::int64_t to, std::int64_t origin, std::int64_t granule) {
    for (cursor at(l, from); from < to;) {
      run const r = at.current_run();
      if (r.length >= to - from) {
        set((r.offset - origin) / granule, (r.offset - origin + to - from) / granule);
        return;
      }
      std::int64_t const count = std::min(r.count, (to - from) / r.length);
      std::int64_t bit = (r.offset - origin) / granule;
      std::int64_t const step = r.stride / granule, width = r.length / granule;
      if (width == 1)
        for (std::int64_t i = 0; i < count; ++i, bit += step) words_[word(bit)] |= std::uint64_t{1} << (bit & 63);
      else
        for (std::int64_t i = 0; i < count; ++i, bit += step) set(bit, bit + width);
      from += count * r.length;
      if (from < to) at.skip(count);
    }
  }

 private:
  static constexpr std::size_t word(std::int64_t bit) noexcept { return static_cast<std::size_t>(bit) / 64; }

  constexpr std::int64_t next(std::int64_t from, std::int64_t end, std::uint64_t flip) const {
    while (from < end) {
      std::uint64_t const rest = (words_[word(from)] ^ flip) >> (from & 63);
      if (rest != 0) return std::min(end, from + std::countr_zero(rest));
      from = (from | 63) + 1;
    }
    return end;
  }

  std::span<std::uint64_t> words_;
};

}  // namespace argosy::detail
