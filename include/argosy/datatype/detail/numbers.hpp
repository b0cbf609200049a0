// How constructors store and check their lists. Fixed numbers are checked at compile time. Others
// are checked when the datatype is asked for its form, which then throws. A datatype with a fault
// is stored like any other, so that it reaches the collective call, which all ranks must make.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <argosy/datatype/numbers.hpp>
#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/error.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/number.hpp>

namespace argosy {
namespace detail {

// The stored form of a list argument.
template <class T>
struct list_storage;
template <class... N>
struct list_storage<number_list<N...>> {
  using type = number_list<N...>;
};
template <integer_range R>
struct list_storage<R> {
  using type = numbers<>;
};
template <integer I, std::size_t N>
struct list_storage<std::array<I, N>> {
  using type = numbers<N>;
};
template <class I, std::size_t N>
  requires(integer<std::remove_const_t<I>>)
struct list_storage<std::span<I, N>> {
  using type = numbers<N>;
};
template <integer I, std::size_t N>
struct list_storage<I[N]> {
  using type = numbers<N>;
};
template <std::size_t N>
struct list_storage<numbers<N>> {
  using type = numbers<N>;
};

// Any list of numbers: io::list(...), std::array, a C array, std::span, std::vector ...
template <class T>
concept number_sequence = requires { typename list_storage<std::remove_cvref_t<T>>::type; };
template <number_sequence T>
using stored_list = typename list_storage<std::remove_cvref_t<T>>::type;
// A list in its stored form, as datatypes have it. Deduction guides convert arguments of other
// forms.
template <class T>
concept number_store = number_sequence<T> && std::same_as<T, stored_list<T>>;

template <class L>
inline constexpr bool is_fixed_list = false;
template <class... N>
inline constexpr bool is_fixed_list<number_list<N...>> = (is_fixed<N> && ...);

template <class N>
constexpr std::optional<std::int64_t> known_number() {
  if constexpr (is_fixed<N>)
    return N::value;
  else
    return std::nullopt;
}

// Element i of a list, if it is known from the type.
template <class L>
struct known_list {
  static constexpr std::optional<std::int64_t> at(std::size_t) { return std::nullopt; }
};
template <class... N>
struct known_list<number_list<N...>> {
  static constexpr std::optional<std::int64_t> at(std::size_t i) {
    std::array<std::optional<std::int64_t>, sizeof...(N)> const all{known_number<N>()...};
    return i < all.size() ? all[i] : std::nullopt;
  }
};

// Returns the number of dimensions or blocks on which lists agree, as far as it is known from their
// types.
template <class... L>
constexpr std::size_t common_size() {
  std::size_t found = std::dynamic_extent;
  ((found = found == std::dynamic_extent ? L::static_size : found), ...);
  return found;
}
template <class... L>
constexpr bool sizes_may_agree() {
  return ((L::static_size == std::dynamic_extent || L::static_size == common_size<L...>()) && ...);
}

// Facts at compile time for static_assert: true unless the types show the opposite.
template <class N>
inline constexpr bool may_be_not_negative = known_number<N>().value_or(0) >= 0;
template <class L>
constexpr bool all_may_be_not_negative() {
  if constexpr (L::static_size != std::dynamic_extent)
    for (std::size_t i = 0; i < L::static_size; ++i)
      if (known_list<L>::at(i).value_or(0) < 0) return false;
  return true;
}

// --- Checks of numbers that are known at run time only ---

template <class L>
constexpr void require_all_not_negative(char const* where, char const* what, L const& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] >= 0) continue;
    if (no_number::is(list[i])) throw_no_number(list[i], list.size());
    throw_negative_element(where, what, i, list[i]);
  }
}

// Checks a stored number like the algebra does.
constexpr void require_count(char const* where, char const* what, std::int64_t kept) {
  require_number(kept);
  require_not_negative(where, what, kept);
}

template <class L>
constexpr std::int64_t sum(L const& list) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < list.size(); ++i) total = add(total, list[i]);
  return total;
}
template <class L>
constexpr std::int64_t product(L const& list) {
  std::int64_t total = 1;
  for (std::size_t i = 0; i < list.size(); ++i) total = mul(total, list[i]);
  return total;
}

template <class A, class B>
constexpr void require_same_size(char const* where, char const* a, A const& x, char const* b,
                                 B const& y) {
  if (x.size() != y.size()) throw_sizes_differ(where, a, x.size(), b, y.size());
}

}  // namespace detail
}  // namespace argosy
