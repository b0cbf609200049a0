// The common part of subarray and darray: an array that grows by one dimension at a time, beginning
// with the fastest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <argosy/datatype/detail/numbers.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

class array_form;

// The functions that the library compiles; `once` chooses.
namespace linked {
void add_box(array_form& array, std::int64_t size, std::int64_t subsize, std::int64_t start);
void add_cyclic(array_form& array, std::int64_t size, std::int64_t block, std::int64_t start,
                std::int64_t period);
void finish(array_form& array);
}  // namespace linked

// Turns the layout of an element into that of the chosen part of an array, at its place in the
// whole.
class array_form {
 public:
  constexpr explicit array_form(layout& element) : form_(element), stride_(element.extent()) {}

  // Adds the indices [start, start + subsize) of the next dimension.
  constexpr void add_box(std::int64_t size, std::int64_t subsize, std::int64_t start) {
    once([&] { add_box_here(size, subsize, start); },
         [&] { linked::add_box(*this, size, subsize, start); });
  }
  // Adds a block of `block` indices every `period` indices, from `start` on.
  constexpr void add_cyclic(std::int64_t size, std::int64_t block, std::int64_t start,
                            std::int64_t period) {
    once([&] { add_cyclic_here(size, block, start, period); },
         [&] { linked::add_cyclic(*this, size, block, start, period); });
  }
  // Gives the layout the bounds of the whole array.
  constexpr void finish() {
    once([&] { finish_here(); }, [&] { linked::finish(*this); });
  }

  constexpr void add_box_here(std::int64_t size, std::int64_t subsize, std::int64_t start) {
    multiply(form_, subsize, stride_);
    grow(size, start);
  }

  constexpr void add_cyclic_here(std::int64_t size, std::int64_t block, std::int64_t start,
                                 std::int64_t period) {
    std::int64_t const rest = size > start ? size - start : 0;
    std::int64_t const begun = rest % period;
    std::int64_t const whole = rest / period + (begun >= block ? 1 : 0);
    std::int64_t const partial = begun >= block ? 0 : begun;
    std::int64_t const step = whole > 1 || partial > 0 ? mul(period, stride_) : 0;
    assembler parts;
    parts.add(0, repeat(whole, step, repeat(whole > 0 ? block : 0, stride_, form_)));
    parts.add(mul(partial > 0 ? whole : 0, step), repeat(partial, stride_, form_));
    form_ = parts.finish();
    grow(size, rest > 0 ? start : 0);
  }

  constexpr void finish_here() {
    builder::shift(form_, displacement_);
    builder::resize(form_, 0, stride_);
  }

 private:
  constexpr void grow(std::int64_t size, std::int64_t start) {
    displacement_ = add(displacement_, mul(start, stride_));
    stride_ = mul(stride_, size);
  }

  layout& form_;
  std::int64_t stride_;            // bytes of the array so far
  std::int64_t displacement_ = 0;  // displacement of the chosen part
};

// Returns false if the types show a start or an end beyond its dimension.
template <class Sizes, class Subsizes, class Starts>
constexpr bool box_may_fit() {
  constexpr std::size_t dimensions = common_size<Sizes, Subsizes, Starts>();
  if constexpr (dimensions != std::dynamic_extent)
    for (std::size_t i = 0; i < dimensions; ++i) {
      auto const size = known_list<Sizes>::at(i);
      auto const start = std::max<std::int64_t>(known_list<Starts>::at(i).value_or(0), 0);
      if (size && *size >= 0 &&
          (start > *size || known_list<Subsizes>::at(i).value_or(0) > *size - start))
        return false;
    }
  return true;
}

template <class Sizes, class Subsizes, class Starts>
constexpr void require_box(char const* where, Sizes const& sizes, Subsizes const& subsizes,
                           Starts const& starts) {
  require_all_not_negative(where, "size", sizes);
  require_all_not_negative(where, "subsize", subsizes);
  require_all_not_negative(where, "start", starts);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (starts[i] > sizes[i] || subsizes[i] > sizes[i] - starts[i])
      throw_box(where, i, sizes[i], subsizes[i], starts[i]);
}

}  // namespace argosy::detail
