// The layout of a box of a multi-dimensional array in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/detail/numbers.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/mdspan_like.hpp>
#include <argosy/datatype/order.hpp>

namespace argosy::detail {

// Returns the buffer of the array without the first `low` and the last `high` indices of each
// dimension.
template <class A, std::size_t Rank>
auto memory_of_array(A& array, order o, numbers<Rank> const& low, numbers<Rank> const& high) {
  static_assert(!is_on_device<std::remove_cv_t<A>>,
                "argosy::memory: this array lies in the memory of a device, which files cannot be "
                "read into or written "
                "from; copy it to the host first, such as by Kokkos::create_mirror_view_and_copy");
  auto* const first = first_element_of(array);
  using element = std::remove_pointer_t<decltype(first_element_of(array))>;
  return described_buffer([&] {
    require_numbers(low);
    require_numbers(high);
    layout form = layout_of<std::remove_cv_t<element>>();
    std::int64_t offset = 0, elements = 1;
    for (std::size_t i = 0; i < Rank; ++i) {
      std::size_t const d = from_fastest(o, i, Rank);
      std::int64_t const extent = extent_of(array, d);
      std::int64_t const stride = mul(stride_of(array, d), sizeof(element));
      if (low[d] < 0 || high[d] < 0 || low[d] > extent || high[d] > extent - low[d])
        throw_halo(d, low[d], high[d], extent);
      multiply(form, extent - low[d] - high[d], stride);
      offset = add(offset, mul(low[d], stride));
      elements = mul(elements, extent - low[d] - high[d]);
    }
    builder::shift(form, offset);
    return make_buffer(first, std::move(form),
                       signature().append(types_of<std::remove_cv_t<element>>(), elements));
  });
}

template <class A>
auto memory_of_array(A& array, order o) {
  constexpr numbers<array_rank<A>> none{};
  return memory_of_array(array, o, none, none);
}

}  // namespace argosy::detail
