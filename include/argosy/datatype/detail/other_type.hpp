// What the compiler can tell of data and a datatype that do not belong together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <type_traits>

#include <argosy/datatype/element.hpp>

namespace argosy::detail {

// The C++ type at the core of a datatype; void if there is none, or more than one.
template <class D>
struct core_type {
  using type = void;
};
template <class T>
struct core_type<element<T>> {
  using type = std::remove_all_extents_t<T>;
};
template <class D>
  requires requires { typename D::old_type; }
struct core_type<D> : core_type<typename D::old_type> {};

template <class T>
struct bare_element {
  using type = std::remove_cv_t<std::remove_all_extents_t<T>>;
};
template <class T, std::size_t N>
struct bare_element<std::array<T, N>> : bare_element<T> {};

// Data of type T is certainly no data of this datatype: numbers of another kind or width. Bytes and characters fit everything, as
// raw memory does.
template <class T, class Datatype>
constexpr bool are_other_numbers() {
  using given = typename bare_element<std::remove_cv_t<std::remove_all_extents_t<T>>>::type;
  using wanted = typename bare_element<typename core_type<Datatype>::type>::type;
  if constexpr (std::is_arithmetic_v<given> && std::is_arithmetic_v<wanted>)
    return sizeof(given) > 1 && sizeof(wanted) > 1 &&
           (sizeof(given) != sizeof(wanted) || std::is_floating_point_v<given> != std::is_floating_point_v<wanted>);
  else
    return false;
}

}  // namespace argosy::detail
