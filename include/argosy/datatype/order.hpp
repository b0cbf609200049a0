// The order of dimensions: which of them runs fastest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>

#include <argosy/extend.hpp>

namespace argosy {

enum class order {
  c,       // the last index runs fastest
  fortran  // the first index runs fastest
};

namespace detail {

// An order as a type, for datatypes that are static: io::extend::c_order,
// io::extend::fortran_order.
template <order Order>
struct fixed_order {
  constexpr operator order() const noexcept { return Order; }
};

}  // namespace detail

namespace extend {

inline constexpr detail::fixed_order<order::c> c_order{};
inline constexpr detail::fixed_order<order::fortran> fortran_order{};

}  // namespace extend

namespace detail {

template <class T>
inline constexpr bool is_fixed_order = false;
template <order Order>
inline constexpr bool is_fixed_order<fixed_order<Order>> = true;
template <class T>
concept order_argument = is_fixed_order<T> || std::same_as<T, order>;

// Returns the number of the i-th dimension of `rank`, counted from the fastest one.
constexpr std::size_t from_fastest(order o, std::size_t i, std::size_t rank) {
  return o == order::c ? rank - 1 - i : i;
}

}  // namespace detail
}  // namespace argosy
