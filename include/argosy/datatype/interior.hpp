// interior(array, halo): an array without its halo.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/detail/array_memory.hpp>
#include <argosy/datatype/mdspan_like.hpp>
#include <argosy/datatype/numbers.hpp>
#include <argosy/datatype/order.hpp>

namespace argosy {
namespace detail {

template <class A, std::size_t N>
inline constexpr bool other_rank = false;
template <class A, std::size_t N>
  requires mdspan_like<std::remove_reference_t<A>>
inline constexpr bool other_rank<A, N> = array_rank<std::remove_reference_t<A>> != N;

template <class A, std::size_t... Given>
buffer refuse_interior() {
  if constexpr (mdspan_like<A>)
    static_assert((!other_rank<A, Given> && ...),
                  "argosy::interior: a halo is given for each dimension of the array, such as {1, "
                  "1, 1} of three");
  else
    say_what_is_missing<A>();
  return {};
}

}  // namespace detail

// Returns a buffer of the array without its halo.
//
//   auto core = io::interior(u, {1, 1, 1});                  // one layer off every side
//   auto core = io::interior(u, {2, 0, 0}, {1, 0, 0});       // off the low and the high sides
// The indices have the order in which `memory` takes them; strides may be negative. Local. If
// a halo is negative, or the halos are wider than the array, the buffer's form, size and types
// throw invalid_layout. The array's data must outlive the buffer. Costs O(rank), no copy, no heap.
template <class A>
  requires extend::mdspan_like<std::remove_reference_t<A>>
auto interior(A&& array, numbers<detail::array_rank<std::remove_reference_t<A>>> const& halo,
              order o = order::c) {
  return detail::memory_of_array(array, o, halo, halo);
}

// Returns a buffer of the array without the first `low` and the last `high` indices of each
// dimension. Local. Faults and lifetime are as above.
template <class A>
  requires extend::mdspan_like<std::remove_reference_t<A>>
auto interior(A&& array, numbers<detail::array_rank<std::remove_reference_t<A>>> const& low,
              numbers<detail::array_rank<std::remove_reference_t<A>>> const& high,
              order o = order::c) {
  return detail::memory_of_array(array, o, low, high);
}

// A compile error that says what is missing, for types that are no arrays, or if the numbers of
// dimensions and of halos differ.
template <class A, std::size_t N>
  requires(!extend::mdspan_like<std::remove_reference_t<A>> || detail::other_rank<A, N>)
auto interior(A&&, detail::any_integer const (&)[N], order = order::c) {
  return detail::refuse_interior<std::remove_reference_t<A>, N>();
}
template <class A, std::size_t N, std::size_t M>
  requires(!extend::mdspan_like<std::remove_reference_t<A>> || detail::other_rank<A, N> ||
           detail::other_rank<A, M>)
auto interior(A&&, detail::any_integer const (&)[N], detail::any_integer const (&)[M],
              order = order::c) {
  return detail::refuse_interior<std::remove_reference_t<A>, N, M>();
}
template <class A, class... Halos>
  requires(!extend::mdspan_like<std::remove_reference_t<A>>)
auto interior(A&&, Halos const&...) {
  return detail::refuse_interior<std::remove_reference_t<A>>();
}

}  // namespace argosy
