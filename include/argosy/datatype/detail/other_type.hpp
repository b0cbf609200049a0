// Compile-time checks for data and a datatype that do not fit.
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

// Returns true if data of type T certainly does not fit this datatype: numbers of another kind or
// width. Bytes and characters fit everything, because raw memory is declared as them.
template <class T, class Datatype>
constexpr bool are_other_numbers() {
  using given = typename bare_element<std::remove_cv_t<std::remove_all_extents_t<T>>>::type;
  using wanted = typename bare_element<typename core_type<Datatype>::type>::type;
  if constexpr (std::is_arithmetic_v<given> && std::is_arithmetic_v<wanted>)
    return sizeof(given) > 1 && sizeof(wanted) > 1 &&
           (sizeof(given) != sizeof(wanted) ||
            std::is_floating_point_v<given> != std::is_floating_point_v<wanted>);
  else
    return false;
}

// The class whose members a datatype chooses, at its core. void if there is none.
template <class D>
struct chosen_class {
  using type = void;
};
template <class D>
  requires requires { typename D::owner; }
struct chosen_class<D> {
  using type = typename D::owner;
};
template <class D>
  requires(
      requires { typename D::old_type; } && !requires { typename D::owner; })
struct chosen_class<D> : chosen_class<typename D::old_type> {};

// A choice of members itself. Its stride is that of the class that is given.
template <class D>
concept choice_of_members = requires { typename D::owner; };

// Returns true if data of type T is certainly not of the class whose members this datatype chooses.
// Raw memory fits every class.
template <class T, class Datatype>
constexpr bool are_of_another_class() {
  using given = typename bare_element<std::remove_cv_t<std::remove_all_extents_t<T>>>::type;
  using wanted = typename chosen_class<Datatype>::type;
  if constexpr (std::is_void_v<given> || std::is_void_v<wanted>)
    return false;
  else if constexpr (sizeof(given) == 1 && !std::is_class_v<given>)
    return false;
  else if constexpr (choice_of_members<Datatype>)
    return !std::is_base_of_v<wanted, given>;
  else
    return !std::is_same_v<wanted, given>;
}

}  // namespace argosy::detail
