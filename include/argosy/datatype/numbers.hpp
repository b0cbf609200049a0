// numbers<N>: lists of integers that are known at run time. Lists with fixed numbers in them are made by io::list.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include <argosy/layout/detail/small_array.hpp>
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

}  // namespace argosy
