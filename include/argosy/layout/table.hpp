// Irregular pieces: the leaf of a layout if no rule describes them. A table is immutable and
// shared, so copies of layouts are cheap.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/compact_numbers.hpp>
#include <argosy/layout/piece.hpp>

namespace argosy {

namespace detail {

// A handle on the pieces of one table. Offsets count from the first piece. The table owns its
// lists, or borrows a list that outlives it.
class piece_table {
 public:
  // The lists must be in normal form: no piece is empty, and none continues the one before. The
  // base of the offsets is the first offset, that of the lengths is 0. `lengths` is empty when all
  // pieces have `length` bytes.
  constexpr piece_table(compact_numbers offsets, compact_numbers lengths, std::int64_t length)
      : piece_table() {  // Delegates, so that the destructor runs if the body throws.
    data_ = new content;
    data_->own_offsets = std::move(offsets);
    data_->own_lengths = std::move(lengths);
    data_->near = data_->own_offsets.near();
    data_->far = data_->own_offsets.far();
    data_->lengths = data_->own_lengths.near();
    data_->long_lengths = data_->own_lengths.far();
    data_->length = length;
    data_->measure();
  }
  static constexpr piece_table borrow(std::span<std::int64_t const> offsets, std::int64_t length) {
    piece_table table;
    table.data_ = new content;
    table.data_->far = offsets;
    table.data_->length = length;
    table.data_->measure();
    return table;
  }

  constexpr piece_table(piece_table const& other) noexcept : data_(other.data_) { retain(); }
  constexpr piece_table(piece_table&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)) {}
  constexpr piece_table& operator=(piece_table other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  constexpr ~piece_table() { release(); }

  constexpr std::size_t size() const noexcept { return data_->size(); }
  constexpr std::int64_t offset(std::size_t i) const noexcept { return data_->offset(i); }
  constexpr std::int64_t length(std::size_t i) const noexcept { return data_->length_of(i); }
  constexpr piece operator[](std::size_t i) const noexcept { return {offset(i), length(i)}; }

  constexpr bool equal_lengths() const noexcept { return data_->equal_lengths(); }
  // Returns the length of most pieces if one length has a majority. Copy loops have a special case
  // for it.
  constexpr std::int64_t usual_length() const noexcept { return data_->length; }

  // Calls f(offsets) with the raw list, of 4 or 8 bytes each, for the copy loops. Piece i lies at
  // offsets[i] - offsets[0].
  template <class F>
  constexpr decltype(auto) with_offsets(F&& f) const {
    return data_->far.empty() ? f(data_->near) : f(data_->far);
  }
  // Calls f(lengths) with the raw list. If all lengths are equal, the list is empty.
  template <class F>
  constexpr decltype(auto) with_lengths(F&& f) const {
    return data_->long_lengths.empty() ? f(data_->lengths) : f(data_->long_lengths);
  }
  // Returns true if both handles refer to one table.
  constexpr bool shares(piece_table const& other) const noexcept { return data_ == other.data_; }

  // Returns the bytes of the stream before piece i. O(1); at most 31 additions if lengths differ.
  constexpr std::int64_t start(std::size_t i) const noexcept {
    if (equal_lengths()) return static_cast<std::int64_t>(i) * data_->length;
    std::size_t k = i / every * every;
    std::int64_t before = data_->starts[i / every];
    for (; k < i; ++k) before += length(k);
    return before;
  }
  // Returns the number of the piece that holds byte `position` of the stream. O(log n), O(1) for
  // equal lengths.
  constexpr std::size_t find(std::int64_t position) const noexcept {
    if (equal_lengths()) return static_cast<std::size_t>(position / data_->length);
    auto const after = std::upper_bound(data_->starts.begin(), data_->starts.end(), position);
    std::size_t const sample = static_cast<std::size_t>(after - data_->starts.begin()) - 1;
    std::size_t k = sample * every;
    for (std::int64_t left = position - data_->starts[sample]; k + 1 < size() && left >= length(k);
         ++k)
      left -= length(k);
    return k;
  }

  constexpr std::int64_t bytes() const noexcept { return data_->bytes; }
  constexpr std::int64_t low() const noexcept { return data_->low; }
  constexpr std::int64_t high() const noexcept { return data_->high; }
  constexpr bool is_monotonic() const noexcept { return data_->monotonic; }
  // Returns true if the table is monotonic, and no piece overlaps the next.
  constexpr bool is_sorted() const noexcept { return data_->sorted; }
  constexpr bool is_borrowed() const noexcept { return data_->own_offsets.empty(); }

  friend constexpr bool operator==(piece_table const& a, piece_table const& b) noexcept {
    if (a.data_ == b.data_) return true;
    if (a.size() != b.size() || a.bytes() != b.bytes() || a.high() != b.high() ||
        a.low() != b.low())
      return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

 private:
  static constexpr std::size_t every = 32;

  struct content {
    compact_numbers own_offsets, own_lengths;
    std::span<std::uint32_t const> near;  // offsets: one of `near` and `far` is empty
    std::span<std::int64_t const> far;
    // Both are empty if all lengths are equal. One length of 4 GiB or more puts all of them into
    // `long_lengths`.
    std::span<std::uint32_t const> lengths;
    std::span<std::int64_t const> long_lengths;
    std::vector<std::int64_t> starts;  // stream position of every 32nd piece, if lengths differ
    std::int64_t length = 0, bytes = 0, low = 0, high = 0;
    std::int64_t users = 1;
    bool monotonic = true, sorted = true;

    constexpr std::size_t size() const noexcept { return near.size() + far.size(); }
    constexpr bool equal_lengths() const noexcept {
      return lengths.empty() && long_lengths.empty();
    }
    constexpr std::int64_t offset(std::size_t i) const noexcept {
      return far.empty() ? near[i] : far[i] - far[0];
    }
    constexpr std::int64_t length_of(std::size_t i) const noexcept {
      if (!lengths.empty()) return lengths[i];
      return long_lengths.empty() ? length : long_lengths[i];
    }

    // Visits each piece once, and checks for overflow once, at the end. Stands before its caller,
    // because clang needs the body earlier in a constant expression.
    template <class Offset>
    constexpr void measure(std::span<Offset const> offsets) {
      std::int64_t last_offset = 0, last_end = 0;
      bool wraps = false;
      auto const look = [&](std::size_t i, std::int64_t size) {
        std::int64_t offset = 0, end = 0;
        wraps |=
            __builtin_sub_overflow(std::int64_t{offsets[i]}, std::int64_t{offsets[0]}, &offset);
        wraps |= __builtin_add_overflow(offset, size, &end);
        monotonic &= offset >= last_offset;
        sorted &= offset >= last_end;
        last_offset = offset;
        last_end = end;
        low = std::min(low, offset);
        high = std::max(high, end);
      };
      if (equal_lengths()) {
        for (std::size_t i = 0; i < offsets.size(); ++i) look(i, length);
        bytes = detail::mul(static_cast<std::int64_t>(offsets.size()), length);
      } else {
        starts.reserve(offsets.size() / every + 1);
        std::int64_t votes = 0;
        for (std::size_t i = 0; i < offsets.size(); ++i) {
          std::int64_t const size = length_of(i);
          if (i % every == 0) starts.push_back(bytes);
          length = votes == 0 ? size : length;  // the majority vote of Boyer and Moore
          votes += size == length ? 1 : -1;
          look(i, size);
          wraps |= __builtin_add_overflow(bytes, size, &bytes);
        }
      }
      detail::refuse_overflow(wraps);
    }
    constexpr void measure() {
      if (far.empty())
        measure(near);
      else
        measure(far);
    }
  };

  constexpr piece_table() noexcept = default;
  constexpr void retain() noexcept {
    if (!data_) return;
    if (std::is_constant_evaluated())
      ++data_->users;
    else
      std::atomic_ref(data_->users).fetch_add(1, std::memory_order_relaxed);
  }
  constexpr void release() noexcept {
    if (!data_) return;
    bool last = false;
    if (std::is_constant_evaluated())
      last = --data_->users == 0;
    else
      last = std::atomic_ref(data_->users).fetch_sub(1, std::memory_order_acq_rel) == 1;
    if (last) delete data_;
  }

  content* data_ = nullptr;
};

}  // namespace detail

}  // namespace argosy
