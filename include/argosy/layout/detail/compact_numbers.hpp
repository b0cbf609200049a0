// Long lists of numbers, with 4 bytes each if they lie close together. Irregular data is described
// by them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace argosy::detail {

// Numbers from `base` up to 4 GiB beyond are near, and stored as distances from it. If one number
// is not near, all are stored with 8 bytes.
class compact_numbers {
 public:
  constexpr compact_numbers() = default;
  // Copies the numbers of a range. The base is the smallest.
  template <std::ranges::forward_range R>
  constexpr explicit compact_numbers(R const& all) {
    if (std::ranges::empty(all)) return;
    auto const [low, high] = std::ranges::minmax(all);
    base_ = static_cast<std::int64_t>(low);
    auto const size = static_cast<std::size_t>(std::ranges::distance(all));
    if (is_near(static_cast<std::int64_t>(high))) {
      near_.resize(size);
      std::ranges::transform(all, near_.begin(), [&](auto n) {
        return static_cast<std::uint32_t>(distance(static_cast<std::int64_t>(n)));
      });
    } else {
      far_.assign(std::ranges::begin(all), std::ranges::end(all));
    }
  }

  // Sets the base of an empty list. Reserved room stays.
  constexpr void start_at(std::int64_t base) { base_ = base; }
  constexpr void reserve(std::size_t n) {
    if (far_.empty())
      near_.reserve(n);
    else
      far_.reserve(n);
  }
  // Frees unused room of more than an eighth.
  constexpr void shrink() {
    if (capacity() <= size() + size() / 8) return;
    near_.shrink_to_fit();
    far_.shrink_to_fit();
  }
  constexpr void push_back(std::int64_t n) {
    // Always false if the list is far, since near_ has no room then.
    if (is_near(n) && near_.size() != near_.capacity())
      near_.push_back(static_cast<std::uint32_t>(distance(n)));
    else
      push_slowly(n);
  }

  constexpr std::size_t size() const noexcept { return near_.size() + far_.size(); }
  constexpr bool empty() const noexcept { return size() == 0; }
  constexpr std::size_t capacity() const noexcept {
    return std::max(near_.capacity(), far_.capacity());
  }
  constexpr std::int64_t operator[](std::size_t i) const noexcept {
    return far_.empty() ? base_ + static_cast<std::int64_t>(near_[i]) : far_[i];
  }
  constexpr std::int64_t at(std::size_t i) const {
    if (i >= size()) throw std::out_of_range("argosy: a list of numbers is too short");
    return (*this)[i];
  }

  // Returns the lists for long loops. One of both is empty.
  // distances from the base
  constexpr std::span<std::uint32_t const> near() const noexcept { return near_; }
  constexpr std::span<std::int64_t const> far() const noexcept { return far_; }

  friend constexpr bool operator==(compact_numbers const& a, compact_numbers const& b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

 private:
  // Wraps, because two numbers may be 2^63 or more apart.
  constexpr std::uint64_t distance(std::int64_t n) const noexcept {
    return static_cast<std::uint64_t>(n) - static_cast<std::uint64_t>(base_);
  }
  constexpr bool is_near(std::int64_t n) const noexcept {
    return n >= base_ && distance(n) <= std::numeric_limits<std::uint32_t>::max();
  }

  // Is separate from the common case, so that the common case is inlined into the loops that push.
  [[gnu::noinline]] constexpr void push_slowly(std::int64_t n) {
    if (far_.empty() && is_near(n)) {
      near_.push_back(static_cast<std::uint32_t>(distance(n)));
      return;
    }
    if (far_.empty()) {
      far_.reserve(std::max(near_.capacity(), near_.size() + 1));
      for (std::uint32_t const near : near_)
        far_.push_back(base_ + static_cast<std::int64_t>(near));
      near_ = std::vector<std::uint32_t>();  // frees its room, too
    }
    far_.push_back(n);
  }

  std::vector<std::uint32_t> near_;
  std::vector<std::int64_t> far_;
  std::int64_t base_ = 0;
};

}  // namespace argosy::detail
