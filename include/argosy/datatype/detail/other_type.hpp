// Compile-time checks for data and a datatype that do not fit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
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

// A kind of number. Bytes and characters are none, because raw memory is declared as them.
struct number_kind {
  std::int64_t bytes = 0;
  bool is_floating = false;
  constexpr bool is_known() const { return bytes > 1; }
  friend constexpr bool operator==(number_kind, number_kind) = default;
};

// True if the program describes T. Boost.PFR describes other aggregates, and does not compile for
// those with bases.
template <class T>
concept described_by_program =
    described_by_function<T> || (has_description<T> && !requires { describe<T>::by_fields; });

// Returns the kind of all numbers of type T. Looks into described structs. Returns no kind if there
// are several, or if T has bytes that its description leaves out.
template <class T>
constexpr number_kind kind_of_numbers() {
  if constexpr (std::is_void_v<T>) {
    return {};
  } else if constexpr (std::is_arithmetic_v<T>) {
    return {sizeof(T), std::is_floating_point_v<T>};
  } else if constexpr (!described_by_program<T>) {
    return {};
  } else if constexpr (has_constant_form<T>()) {
    auto const types = types_of<T>();
    if (types.nodes().size() != 1 || types.size() != static_cast<std::int64_t>(sizeof(T)))
      return {};
    basic_type const one = types.nodes()[0].type;
    return {size_in(native_sizes, one), is_floating(one)};
  } else {
    return {};
  }
}

// Returns true if data of type T certainly does not fit this datatype: numbers of another kind or
// width.
template <class T, class Datatype>
constexpr bool are_other_numbers() {
  using given = typename bare_element<std::remove_cv_t<std::remove_all_extents_t<T>>>::type;
  using wanted = typename bare_element<typename core_type<Datatype>::type>::type;
  if constexpr (std::is_same_v<given, wanted>) {
    return false;
  } else {
    constexpr number_kind a = kind_of_numbers<given>(), b = kind_of_numbers<wanted>();
    return a.is_known() && b.is_known() && a != b;
  }
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
