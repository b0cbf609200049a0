// interior(array, halo): an array without its halo.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include <argosy/datatype/detail/array_memory.hpp>
#include <argosy/datatype/mdspan_like.hpp>
#include <argosy/datatype/order.hpp>

namespace argosy {

//   auto core = io::interior(u, {1, 1, 1});                  // one layer off every side
//   auto core = io::interior(u, {2, 0, 0}, {1, 0, 0});       // off the low and the high sides
// A buffer, in the order of the indices as `memory` takes it; strides may be negative. Costs O(rank), no copy, no heap.
// If the halos are wider than the array, the buffer says so when it is asked, by invalid_layout.
template <class A>
  requires mdspan_like<std::remove_reference_t<A>>
auto interior(A&& array, numbers<array_rank<std::remove_reference_t<A>>> const& halo, order o = order::c) {
  return detail::memory_of_array(array, o, halo, halo);
}

template <class A>
  requires mdspan_like<std::remove_reference_t<A>>
auto interior(A&& array, numbers<array_rank<std::remove_reference_t<A>>> const& low,
              numbers<array_rank<std::remove_reference_t<A>>> const& high, order o = order::c) {
  return detail::memory_of_array(array, o, low, high);
}

}  // namespace argosy
