// The place of the data of a container and a datatype: in the container, or behind its pointers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/blocks.hpp>
#include <argosy/datatype/detail/other_type.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/layout/error.hpp>

namespace argosy::detail {

// A pointer to data, raw or of a class with get(), such as std::unique_ptr and std::shared_ptr.
template <class P>
concept pointer_to_data =
    (std::is_pointer_v<P> && std::is_object_v<std::remove_pointer_t<P>>) || requires(P const& p) {
      typename P::element_type;
      { p.get() } -> std::same_as<typename P::element_type*>;
      requires !std::ranges::range<P>;
    };

template <pointer_to_data P>
auto* address_in(P const& p) {
  if constexpr (std::is_pointer_v<P>)
    return p;
  else
    return p.get();
}
template <class P>
using pointee = std::remove_pointer_t<decltype(address_in(std::declval<P const&>()))>;

// True for an owner of exactly one object. False for an owner of T[].
template <class P>
inline constexpr bool points_to_one = false;
template <class T, class Deleter>
  requires(!std::is_array_v<T>)
inline constexpr bool points_to_one<std::unique_ptr<T, Deleter>> = true;

template <class R>
concept range_of_pointers = std::ranges::input_range<R> &&
                            pointer_to_data<std::remove_cvref_t<std::ranges::range_reference_t<R>>>;

template <class R>
concept elements_in_a_row =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && !range_of_pointers<R>;

// A container that can be given with a datatype.
template <class R>
concept holds_data = range_of_pointers<R> || elements_in_a_row<R>;

// The datatype of one element of a container. Its default count is the number of elements.
template <class D, class Value>
inline constexpr bool is_of_one_element =
    choice_of_members<D> || std::same_as<D, element<std::remove_cv_t<Value>>>;

[[noreturn]] inline void throw_outside(std::int64_t from, std::int64_t to, std::size_t elements,
                                       std::size_t element_bytes, char const* what) {
  std::string const room = std::to_string(elements * element_bytes) + " bytes (" +
                           std::to_string(elements) + " elements of " +
                           std::to_string(element_bytes) + ")";
  if (from < 0)
    throw invalid_layout("the datatype begins " + std::to_string(-from) + " bytes before the " +
                         what + " that it is given with, which has " + room);
  throw invalid_layout("the datatype and the count need " + std::to_string(to) +
                       " bytes, and the " + what + " that they are given with has " + room +
                       ". What to do: give a smaller count, or resize it before the call");
}

// Throws invalid_layout if data of this form is not all within `elements` elements.
inline void require_inside(layout const& form, std::size_t elements, std::size_t element_bytes,
                           char const* what) {
  if (form.empty()) return;
  std::int64_t const from = form.true_lower_bound(), to = form.true_upper_bound();
  if (from < 0 || static_cast<std::uint64_t>(to) > elements * element_bytes)
    throw_outside(from, to, elements, element_bytes, what);
}

// Returns the form of copies of a datatype behind each of these addresses, in their order. Offsets
// count from the lowest address.
inline layout form_behind(std::vector<std::intptr_t> const& addresses, std::intptr_t low,
                          layout const& copies) {
  std::vector<std::int64_t> places;
  places.reserve(addresses.size());
  for (std::intptr_t const a : addresses) places.push_back(a - low);
  return place_blocks(block_lengths<std::int64_t>{1}, places, 1, copies);
}

// Returns the addresses of a range of pointers. Throws invalid_layout with the index if one is
// null.
template <range_of_pointers R>
std::vector<std::intptr_t> addresses_of(R&& pointers) {
  std::vector<std::intptr_t> all;
  if constexpr (std::ranges::sized_range<R>)
    all.reserve(static_cast<std::size_t>(std::ranges::size(pointers)));
  for (auto&& p : pointers) {
    auto const* const address = address_in(p);
    if (!address)
      throw invalid_layout("pointer " + std::to_string(all.size()) +
                           " of the container is null. What to do: leave it out, for instance by "
                           "std::views::filter");
    all.push_back(reinterpret_cast<std::intptr_t>(address));
  }
  return all;
}

}  // namespace argosy::detail
