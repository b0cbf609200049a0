// Splits an array into boxes that fit into memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <argosy/datatype/order.hpp>
#include <format/any_array.hpp>

namespace argosy::tool {

// Boxes of at most `most` elements, but of one unit at least. They have whole units, and follow
// each other in the order `o`. If `unit` is empty, a unit is one element.
class boxes {
 public:
  boxes(detail::any_sizes shape, detail::any_sizes unit, std::int64_t most, order o)
      : shape_(std::move(shape)), sides_(shape_.size(), 1), order_(o) {
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      if (!unit.empty())
        sides_[d] = std::clamp<std::int64_t>(unit[d], 1, std::max<std::int64_t>(shape_[d], 1));
      largest_ *= sides_[d];
      count_ = shape_[d] == 0 ? 0 : count_;
    }
    if (count_ == 0) return;
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      std::int64_t& side = sides_[dimension(i)];
      std::int64_t const n = shape_[dimension(i)];
      largest_ /= side;
      side = std::min(n, side * std::max<std::int64_t>(1, most / (largest_ * side)));
      largest_ *= side;
      if (side < n) break;
    }
    for (std::size_t d = 0; d < shape_.size(); ++d) count_ *= along(d);
  }

  std::int64_t count() const noexcept { return count_; }
  // Returns the elements of the largest box.
  std::int64_t largest() const noexcept { return count_ == 0 ? 0 : largest_; }
  // Returns a box; from count() on they have no elements.
  detail::any_selection box(std::int64_t n) const {
    if (n >= count_) return detail::nothing_of(shape_);
    detail::any_selection s = detail::everything_of(shape_);
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      std::size_t const d = dimension(i);
      s.starts[d] = n % along(d) * sides_[d];
      s.counts[d] = std::min(sides_[d], shape_[d] - s.starts[d]);
      n /= along(d);
    }
    return s;
  }

 private:
  // Returns the dimension that varies i-th fastest.
  std::size_t dimension(std::size_t i) const {
    return order_ == order::c ? shape_.size() - 1 - i : i;
  }
  std::int64_t along(std::size_t d) const { return (shape_[d] + sides_[d] - 1) / sides_[d]; }

  detail::any_sizes shape_, sides_;
  order order_;
  std::int64_t count_ = 1, largest_ = 1;
};

inline std::int64_t elements_of(detail::any_sizes const& counts) {
  // Other sizes of an empty array may be too large for a product.
  std::int64_t n = std::ranges::find(counts, 0) == counts.end() ? 1 : 0;
  for (std::int64_t const c : counts) n = n == 0 ? 0 : n * c;
  return n;
}

}  // namespace argosy::tool
