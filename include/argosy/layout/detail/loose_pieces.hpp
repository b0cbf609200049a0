// Single pieces as lists of numbers. Irregular data has too many pieces for a node each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/compact_numbers.hpp>
#include <argosy/layout/piece.hpp>
#include <argosy/layout/table.hpp>

namespace argosy::detail {

// Pieces in any order. A piece that continues the one before is joined to it.
class loose_pieces {
 public:
  constexpr void reserve(std::size_t n) { offsets_.reserve(n); }

  constexpr void add(std::int64_t offset, std::int64_t length) {
    if (length == 0) return;
    if (last_.length > 0 && wrapping_add(last_.offset, last_.length) == offset) {
      last_.length = detail::add(last_.length, length);
      return;
    }
    push();
    last_ = {offset, length};
  }

  constexpr bool empty() const noexcept { return last_.length == 0; }
  constexpr std::size_t size() const noexcept { return offsets_.size() + (empty() ? 0 : 1); }
  constexpr piece operator[](std::size_t i) const {
    if (i == offsets_.size()) return last_;
    return {offsets_[i], lengths_.empty() ? length_ : lengths_[i]};
  }

  // Returns all pieces as a table. The list is empty afterwards.
  constexpr piece_table take() {
    push();
    last_ = {};
    offsets_.shrink();
    lengths_.shrink();
    return {std::exchange(offsets_, {}), std::exchange(lengths_, {}), length_};
  }

 private:
  constexpr void push() {
    if (last_.length == 0) return;
    if (offsets_.empty()) {
      length_ = last_.length;
      offsets_.start_at(last_.offset);
    }
    if (lengths_.empty() && last_.length != length_) {
      lengths_.reserve(offsets_.capacity());
      for (std::size_t i = 0; i < offsets_.size(); ++i) lengths_.push_back(length_);
    }
    if (!lengths_.empty() || last_.length != length_) lengths_.push_back(last_.length);
    offsets_.push_back(last_.offset);
  }

  compact_numbers offsets_, lengths_;  // lengths only if they differ from `length_`
  std::int64_t length_ = 0;
  piece last_{0, 0};  // not yet in the lists: the next one may continue it
};

// Predicts what the builder's rules would find in a table, without an item for each piece. The
// rules group a list of more than `longest_searched` items only by runs of at least three. Pieces
// in no run stay single. If there are more of them than that limit, and the list as a whole does
// not repeat, it stays a table.
struct table_rules {
  static constexpr std::size_t longest_searched = 256;

  piece_table const& pieces;

  // Returns true if more than `most` pieces belong to no run. Stops as soon as that is certain.
  constexpr bool has_singles(std::size_t most) const {
    std::size_t singles = 0;
    for (std::size_t i = 0; i < pieces.size();) {
      std::size_t copies = i + 1 < pieces.size() && length(i) == length(i + 1) ? 2 : 1;
      while (copies > 1 && i + copies < pieces.size() &&
             same_step(i + copies - 2, i + copies - 1) && length(i + copies) == length(i))
        ++copies;
      if (copies >= 3) {
        i += copies;
        continue;
      }
      if (++singles > most) return true;
      ++i;
    }
    return false;
  }

  // Returns true if the list is a repetition of its first pieces.
  constexpr bool repeats() const {
    std::size_t const n = pieces.size();
    for (std::size_t p = 1; p * p <= n; ++p)
      if (n % p == 0 && (has_period(p) || has_period(n / p))) return true;
    return false;
  }

 private:
  constexpr std::int64_t length(std::size_t i) const { return pieces.length(i); }
  constexpr bool same_step(std::size_t a, std::size_t b) const {
    return length(a) == length(b) &&
           pieces.offset(a + 1) - pieces.offset(a) == pieces.offset(b + 1) - pieces.offset(b);
  }
  constexpr bool has_period(std::size_t p) const {
    std::size_t const n = pieces.size();
    if (p >= n || length(n - 1) != length(p - 1)) return false;
    for (std::size_t i = 0; i + p + 1 < n; ++i)
      if (!same_step(i, i + p)) return false;
    return true;
  }
};

}  // namespace argosy::detail
