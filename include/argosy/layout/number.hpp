// Numbers that may be known at compile time. The number `io::constant<8>` is known from its type,
// `8` is a value at run time. Every count, stride and displacement of a datatype takes either.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace argosy {

template <std::int64_t Value>
struct fixed {
  static constexpr std::int64_t value = Value;
  constexpr operator std::int64_t() const noexcept { return Value; }
  friend constexpr bool operator==(fixed, fixed) = default;
};

namespace detail {

// The type of a constant. Other headers specialise it for constants that are no numbers.
template <auto Value>
struct type_of_constant {
  using type = fixed<Value>;
};

}  // namespace detail

// A constant in a type: of a number, io::constant<8>, or of a policy,
// io::constant<io::two_phase{}>.
template <auto Value>
inline constexpr typename detail::type_of_constant<Value>::type constant{};

namespace detail {

template <class T>
inline constexpr bool is_fixed = false;
template <std::int64_t Value>
inline constexpr bool is_fixed<fixed<Value>> = true;

}  // namespace detail

// An integer of any type, or a fixed number. bool and the character types are no numbers.
template <class T>
concept number =
    detail::is_fixed<T> || (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>);

namespace detail {

// The type that stores a number: fixed numbers in the type, all others as 64 bits.
template <number T>
using stored_number = std::conditional_t<is_fixed<T>, T, std::int64_t>;

// A list of numbers, each fixed or not. Examples are the sizes of an array and the block lengths of
// an indexed type.
template <number... N>
struct number_list {
  static constexpr std::size_t static_size = sizeof...(N);
  [[no_unique_address]] std::tuple<N...> values;

  constexpr number_list() = default;
  constexpr explicit number_list(N... n)
    requires(sizeof...(N) > 0)
      : values(n...) {}
  static constexpr std::size_t size() noexcept { return sizeof...(N); }
  constexpr std::int64_t operator[](std::size_t i) const noexcept {
    std::int64_t result = 0;
    std::apply(
        [&](auto... n) {
          std::size_t k = 0;
          ((k++ == i ? void(result = std::int64_t{n}) : void()), ...);
        },
        values);
    return result;
  }
};

}  // namespace detail

template <number... N>
constexpr auto list(N... n) {
  return detail::number_list<detail::stored_number<N>...>(
      static_cast<detail::stored_number<N>>(n)...);
}

namespace literals {

// Bytes with their unit, for example 4_MiB.
constexpr std::int64_t operator""_KiB(unsigned long long n) {
  return static_cast<std::int64_t>(n) << 10;
}
constexpr std::int64_t operator""_MiB(unsigned long long n) {
  return static_cast<std::int64_t>(n) << 20;
}
constexpr std::int64_t operator""_GiB(unsigned long long n) {
  return static_cast<std::int64_t>(n) << 30;
}

}  // namespace literals
}  // namespace argosy
