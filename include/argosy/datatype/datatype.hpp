// The concept of a datatype: any type that has a normal form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <type_traits>

#include <argosy/layout/layout.hpp>

namespace argosy {

namespace detail {

// A type whose function `form()` returns the normal form: which bytes, in which order, between
// which bounds. The constant `is_static` means that all numbers are fixed and all parts static.
// Such an object is empty, and its form is a constant.
template <class T>
concept described_datatype = requires(T const& t) {
  { t.form() } -> std::convertible_to<layout>;
  std::bool_constant<T::is_static>{};
};

// The results of `flatten` other than `layout`.
template <class T>
concept flat_datatype = !std::same_as<T, layout> && !described_datatype<T> && requires(T const& t) {
  { t.value() } -> std::same_as<layout const&>;
};

}  // namespace detail

// Any type that has a normal form. A layout is a datatype, too, and is its own normal form.
template <class T>
concept datatype =
    std::same_as<T, layout> || detail::described_datatype<T> || detail::flat_datatype<T>;

namespace detail {

template <class T>
concept static_datatype = described_datatype<T> && T::is_static && std::default_initializable<T>;

// Returns the normal form of any datatype. Local. Costs O(the description), except for `layout`,
// which is returned as it is.
template <datatype T>
constexpr decltype(auto) form_of(T const& type) {
  if constexpr (std::same_as<T, layout>) {
    return (type);
  } else if constexpr (flat_datatype<T>) {
    if constexpr (requires { type.to_layout(); })
      return type.to_layout();
    else
      return (type.value());
  } else {
    return type.form();
  }
}

}  // namespace detail

}  // namespace argosy
