// Long lists of numbers, of 4 bytes each where they lie close together: what irregular data is told by.
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

// Numbers from `base` up to 4 GiB beyond are near, and kept as distances from it. Once one is not, all are kept as they are.
class compact_numbers {
 public:
  constexpr compact_numbers() = default;
  // All of a range, from its smallest.
  template <std::ranges::forward_range R>
  constexpr explicit compact_numbers(R const& all) {
    if (std::ranges::empty(all)) return;
    base_ = static_cast<std::int64_t>(std::ranges::min(all));
    reserve(static_cast<std::size_t>(std::ranges::distance(all)));
    for (auto const n : all) push_back(static_cast<std::int64_t>(n));
  }

  // Of an empty list: where the numbers to come are near. Room that was reserved stays.
  constexpr void start_at(std::int64_t base) { base_ = base; }
  constexpr void reserve(std::size_t n) {
    if (far_.empty())
      near_.reserve(n);
    else
      far_.reserve(n);
  }
  // Gives back room for more than an eighth.
  constexpr void shrink() {
    if (capacity() <= size() + size() / 8) return;
    near_.shrink_to_fit();
    far_.shrink_to_fit();
  }
  constexpr void push_back(std::int64_t n) {
    // Numbers below the base are far, too: their distances wrap.
    std::uint64_t const distance = static_cast<std::uint64_t>(n) - static_cast<std::uint64_t>(base_);
    if (far_.empty() && distance <= std::numeric_limits<std::uint32_t>::max())
      near_.push_back(static_cast<std::uint32_t>(distance));
    else
      push_far(n);
  }

  constexpr std::size_t size() const noexcept { return near_.size() + far_.size(); }
  constexpr bool empty() const noexcept { return size() == 0; }
  constexpr std::size_t capacity() const noexcept { return std::max(near_.capacity(), far_.capacity()); }
  constexpr std::int64_t operator[](std::size_t i) const noexcept {
    return far_.empty() ? base_ + static_cast<std::int64_t>(near_[i]) : far_[i];
  }
  constexpr std::int64_t at(std::size_t i) const {
    if (i >= size()) throw std::out_of_range("argosy: a list of numbers is too short");
    return (*this)[i];
  }

  // For long loops: one of both is empty.
  constexpr std::span<std::uint32_t const> near() const noexcept { return near_; }  // from the base
  constexpr std::span<std::int64_t const> far() const noexcept { return far_; }

  friend constexpr bool operator==(compact_numbers const& a, compact_numbers const& b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

 private:
  constexpr void push_far(std::int64_t n) {
    if (far_.empty()) {
      far_.reserve(std::max(near_.capacity(), near_.size() + 1));
      for (std::uint32_t const distance : near_) far_.push_back(base_ + static_cast<std::int64_t>(distance));
      near_ = {};
    }
    far_.push_back(n);
  }

  std::vector<std::uint32_t> near_;
  std::vector<std::int64_t> far_;
  std::int64_t base_ = 0;
};

}  // namespace argosy::detail
