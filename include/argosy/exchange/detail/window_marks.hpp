// Marks of a window that may be mostly untouched. The cost depends on the marked part and the gaps
// in it, not on the window.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <argosy/layout/detail/marks.hpp>

namespace argosy::detail {

// A window of 8 MiB has a million granules of 8 bytes, but a collective call may have only a
// kilobyte of data. So a word is cleared when marks come near it, and other words are never read.
class window_marks {
 public:
  // Uses words that the caller owns, with any contents.
  explicit window_marks(std::span<std::uint64_t> words) noexcept : words_(words) {}

  // Returns marks in which the bits [from, to) may be set, after clearing words if needed.
  marks reach(std::int64_t from, std::int64_t to) {
    if (from < to) {
      std::int64_t const low = from / 64, high = marks::words_for(to);
      if (low_ == high_) low_ = high_ = low;
      clear(low, low_);
      clear(high_, high);
      low_ = std::min(low_, low);
      high_ = std::max(high_, high);
    }
    return marks(words_);
  }
  std::span<std::uint64_t> words() const noexcept { return words_; }

  // Searches like the functions of `marks`.
  std::int64_t next_set(std::int64_t from, std::int64_t end) const {
    std::int64_t const last = std::min(end, 64 * high_),
                       at = marks(words_).next_set(std::max(from, 64 * low_), last);
    return at < last ? at : end;
  }
  std::int64_t next_clear(std::int64_t from, std::int64_t end) const {
    if (from < 64 * low_ || from >= 64 * high_) return std::min(from, end);
    return marks(words_).next_clear(from, std::min(end, 64 * high_));
  }

 private:
  void clear(std::int64_t from, std::int64_t to) {
    if (from < to) std::fill(words_.begin() + from, words_.begin() + to, 0);
  }

  std::span<std::uint64_t> words_;
  std::int64_t low_ = 0, high_ = 0;  // words that are cleared
};

}  // namespace argosy::detail
