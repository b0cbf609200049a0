// Marks: one bit for each granule of a window, set if the granule is covered. Marks are exact if
// pieces of several ranks overlap; a count of bytes would not be.
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

// Bits in words that the caller owns.
class marks {
 public:
  static constexpr std::int64_t words_for(std::int64_t bits) noexcept { return (bits + 63) / 64; }

  constexpr explicit marks(std::span<std::uint64_t> words) noexcept : words_(words) {}

  constexpr void clear() { std::fill(words_.begin(), words_.end(), 0); }

  // Sets the bits [from, to).
  constexpr void set(std::int64_t from, std::int64_t to) {
    if (from >= to) return;
    std::size_t const first = word(from), last = word(to - 1);
    std::uint64_t const head = ~std::uint64_t{0} << (from & 63),
                        tail = ~std::uint64_t{0} >> (63 - ((to - 1) & 63));
    if (first == last) {
      words_[first] |= head & tail;
      return;
    }
    words_[first] |= head;
    for (std::size_t i = first + 1; i < last; ++i) words_[i] = ~std::uint64_t{0};
    words_[last] |= tail;
  }
  // Sets `count` times `width` bits, each `step` bits after the one before. O(words) if a word
  // holds several.
  constexpr void set(std::int64_t from, std::int64_t width, std::int64_t step, std::int64_t count) {
    if (width >= step) return set(from, from + (count - 1) * step + width);
    if (step >= 64 || count < 4) {
      if (width == 1)
        for (std::int64_t i = 0; i < count; ++i, from += step)
          words_[word(from)] |= std::uint64_t{1} << (from & 63);
      else
        for (std::int64_t i = 0; i < count; ++i, from += step) set(from, from + width);
      return;
    }
    std::uint64_t const one = (std::uint64_t{1} << width) - 1;
    std::uint64_t several = 0;
    for (std::int64_t at = 0; at < 64; at += step) several |= one << at;
    std::int64_t const to = from + (count - 1) * step + width;
    std::size_t const first = word(from), last = word(to - 1);
    // the start of the next stretch, from the first bit of the word
    std::int64_t begins = from & 63;
    for (std::size_t i = first; i <= last; ++i) {
      while (begins >= step) begins -= step;
      std::uint64_t bits = several << begins;
      if (std::int64_t const over = begins - step + width; over > 0)
        bits |= (std::uint64_t{1} << over) - 1;
      if (i == first) bits &= ~std::uint64_t{0} << (from & 63);
      if (i == last) bits &= ~std::uint64_t{0} >> (63 - ((to - 1) & 63));
      words_[i] |= bits;
      begins += (64 - begins + step - 1) / step * step - 64;
    }
  }
  constexpr void merge(std::span<std::uint64_t const> other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other[i];
  }

  // Returns the first bit at or after `from` that is set, or is not set. `end` if there is none
  // before it.
  constexpr std::int64_t next_set(std::int64_t from, std::int64_t end) const {
    return next(from, end, 0);
  }
  constexpr std::int64_t next_clear(std::int64_t from, std::int64_t end) const {
    return next(from, end, ~std::uint64_t{0});
  }

  // Sets the bits of bytes [from, to) of the stream of `l`. Bit 0 is the granule at offset
  // `origin`; pieces are whole granules.
  constexpr void set(layout const& l, std::int64_t from, std::int64_t to, std::int64_t origin,
                     std::int64_t granule) {
    for (cursor at(l, from); from < to;) {
      piece_run const r = at.current_run();
      if (r.length >= to - from) {
        set((r.offset - origin) / granule, (r.offset - origin + to - from) / granule);
        return;
      }
      std::int64_t const count = std::min(r.count, (to - from) / r.length);
      set((r.offset - origin) / granule, r.length / granule, r.stride / granule, count);
      from += count * r.length;
      if (from < to) at.skip(count);
    }
  }

 private:
  static constexpr std::size_t word(std::int64_t bit) noexcept {
    return static_cast<std::size_t>(bit) / 64;
  }

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
