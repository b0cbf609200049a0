// How constructors keep their numbers: scalars and lists, each fixed in the type or held as 64 bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <argosy/detail/layout/small_array.hpp>
#include <argosy/layout/error.hpp>
#include <argosy/layout/number.hpp>

namespace argosy {
namespace detail {

template <class T>
concept integer = number<T> && !is_fixed<T>;

template <class T>
concept integer_range =
    std::ranges::input_range<T> && std::ranges::sized_range<T> && integer<std::ranges::range_value_t<T>>;

// Converts to the kept form; what does not fit into 64 bits is refused, not wrapped.
template <class Stored, number N>
constexpr Stored store(N n) {
  if constexpr (std::same_as<Stored, std::int64_t>) {
    std::int64_t const kept = static_cast<std::int64_t>(n);
    if constexpr (integer<N>)
      if (!std::in_range<std::int64_t>(n))
        throw invalid_layout("argosy: a number exceeds 2^63 - 1; check its type and sign");
    return kept;
  } else {
    static_assert(std::same_as<Stored, N>, "argosy: this number is fixed to another value by the type of the datatype");
    return n;
  }
}

}  // namespace detail

// Integers of any type, kept as 64 bits: N of them, or any number of them. Up to 8 stay off the heap.
template <std::size_t N = std::dynamic_extent>
class numbers {
 public:
  static constexpr std::size_t static_size = N;

  constexpr numbers() = default;
  template <detail::integer... I>
    requires(sizeof...(I) == N)
  constexpr numbers(I... n) : values_{detail::store<std::int64_t>(n)...} {}
  template <class... I>
  constexpr numbers(number_list<I...> const& list)
    requires(sizeof...(I) == N)
  {
    for (std::size_t i = 0; i < N; ++i) values_[i] = list[i];
  }
  template <detail::integer_range R>
  constexpr numbers(R const& range) {
    if (std::ranges::size(range) != N)
      throw invalid_layout("argosy: a list of " + std::to_string(N) + " numbers is needed, but " +
                           std::to_string(std::ranges::size(range)) + " are given");
    std::size_t i = 0;
    for (auto n : range) values_[i++] = detail::store<std::int64_t>(n);
  }

  static constexpr std::size_t size() noexcept { return N; }
  constexpr std::int64_t& operator[](std::size_t i) noexcept { return values_[i]; }
  constexpr std::int64_t operator[](std::size_t i) const noexcept { return values_[i]; }
  constexpr auto begin() const noexcept { return values_.begin(); }
  constexpr auto end() const noexcept { return values_.end(); }
  friend constexpr bool operator==(numbers const&, numbers const&) = default;

 private:
  std::array<std::int64_t, N> values_{};
};

template <>
class numbers<std::dynamic_extent> {
 public:
  static constexpr std::size_t static_size = std::dynamic_extent;

  constexpr numbers() = default;
  template <detail::integer_range R>
    requires(!std::same_as<R, numbers>)
  constexpr numbers(R const& range) {
    values_.reserve(std::ranges::size(range));
    for (auto n : range) values_.push_back(detail::store<std::int64_t>(n));
  }

  constexpr std::size_t size() const noexcept { return values_.size(); }
  constexpr std::int64_t& operator[](std::size_t i) noexcept { return values_[i]; }
  constexpr std::int64_t operator[](std::size_t i) const noexcept { return values_[i]; }
  constexpr void push_back(std::int64_t n) { values_.push_back(n); }
  constexpr std::int64_t const* begin() const noexcept { return values_.begin(); }
  constexpr std::int64_t const* end() const noexcept { return values_.end(); }
  friend constexpr bool operator==(numbers const&, numbers const&) = default;

 private:
  detail::small_array<std::int64_t, 8> values_;
};

namespace detail {

// The kept form of a list argument.
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

// Anything that lists numbers: io::list(...), std::array, a C array, std::span, std::vector ...
template <class T>
concept number_sequence = requires { typename list_storage<std::remove_cvref_t<T>>::type; };
template <number_sequence T>
using stored_list = typename list_storage<std::remove_cvref_t<T>>::type;

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

// Element i of a list, if its type tells.
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

// The number of dimensions or blocks that lists agree on, as far as their types tell.
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

// Compile-time facts for static_assert: true as long as the types do not show the opposite.
template <class N>
inline constexpr bool may_be_not_negative = known_number<N>().value_or(0) >= 0;
template <class L>
constexpr bool all_may_be_not_negative() {
  if constexpr (L::static_size != std::dynamic_extent)
    for (std::size_t i = 0; i < L::static_size; ++i)
      if (known_list<L>::at(i).value_or(0) < 0) return false;
  return true;
}

// --- What throws, when the numbers come at run time ---

[[noreturn]] inline void throw_invalid(char const* where, std::string const& what) {
  throw invalid_layout("argosy::" + std::string(where) + ": " + what);
}

[[noreturn]] inline void throw_negative_element(char const* where, char const* what, std::size_t i,
                                                std::int64_t value) {
  throw_invalid(where, std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(value) +
                           "; it must not be negative");
}

template <class L>
constexpr void require_all_not_negative(char const* where, char const* what, L const& list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i] < 0) throw_negative_element(where, what, i, list[i]);
}

[[noreturn]] inline void throw_sizes_differ(char const* where, char const* a, std::size_t n, char const* b,
                                            std::size_t m) {
  throw_invalid(where, std::to_string(n) + " " + a + " but " + std::to_string(m) + " " + b + "; give one for each");
}

template <class A, class B>
constexpr void require_same_size(char const* where, char const* a, A const& x, char const* b, B const& y) {
  if (x.size() != y.size()) throw_sizes_differ(where, a, x.size(), b, y.size());
}

}  // namespace detail
}  // namespace argosy
