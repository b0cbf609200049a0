// numbers<N>: lists of integers that are known at run time. io::list makes lists with fixed
// numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
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
concept integer_range = std::ranges::input_range<T> && std::ranges::sized_range<T> &&
                        integer<std::ranges::range_value_t<T>>;

// A number in braces, {n, 0}, of any integer type. It only counts them where the types of a
// datatype are deduced; no object is made.
struct any_integer {
  template <integer I>
  constexpr any_integer(I) noexcept {}
};

// The lowest values of a stored number are no numbers, but say why there is none. A rank can
// therefore pass data that it cannot describe to the call, without extra cost, and the call refuses
// it on all ranks.
struct no_number {
  static constexpr std::int64_t too_large = std::numeric_limits<std::int64_t>::min();
  // 0 was given for a size that must not be given as 0.
  static constexpr std::int64_t zero = too_large + 1;
  static constexpr std::int64_t no_memory = too_large + 2;  // no memory for the list
  static constexpr std::int64_t first_length = too_large + 3, most_length = std::int64_t{1} << 32;

  // Returns the value for a list of `given` numbers where another length is needed.
  static constexpr std::int64_t of_list(std::size_t given) {
    return first_length +
           static_cast<std::int64_t>(std::min(given, static_cast<std::size_t>(most_length)));
  }
  // Returns the number that was given, or nothing for all other values.
  static constexpr std::optional<std::int64_t> length(std::int64_t kept) {
    if (kept < first_length || kept > first_length + most_length) return {};
    return kept - first_length;
  }
  static constexpr bool is(std::int64_t kept) { return kept <= first_length + most_length; }
};

[[noreturn]] void throw_no_number(std::int64_t kept, std::size_t needed);
[[noreturn]] void throw_invalid(char const* where, std::string const& what);
[[noreturn]] void throw_negative_element(char const* where, char const* what, std::size_t i,
                                         std::int64_t value);
[[noreturn]] void throw_sizes_differ(char const* where, char const* a, std::size_t n, char const* b,
                                     std::size_t m);
[[noreturn]] void throw_box(char const* where, std::size_t i, std::int64_t size,
                            std::int64_t subsize, std::int64_t start);
[[noreturn]] void throw_halo(std::size_t i, std::int64_t low, std::int64_t high,
                             std::int64_t extent);
[[noreturn]] void throw_beyond_member(std::int64_t room, std::int64_t count, std::int64_t bytes);

// Throws if the value is no number.
constexpr void require_number(std::int64_t kept) {
  if (no_number::is(kept)) throw_no_number(kept, 1);
}
template <class List>
constexpr void require_numbers(List const& list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (no_number::is(list[i])) throw_no_number(list[i], list.size());
}

// Converts to the stored form. A value that does not fit into 64 bits becomes no_number; it does
// not wrap.
template <class Stored, number N>
constexpr Stored store(N n) {
  if constexpr (std::same_as<Stored, std::int64_t>) {
    if constexpr (integer<N>)
      if (!std::in_range<std::int64_t>(n)) return no_number::too_large;
    return static_cast<std::int64_t>(n);
  } else {
    static_assert(std::same_as<Stored, N>,
                  "argosy: this number is fixed to another value by the type of the datatype");
    return n;
  }
}

}  // namespace detail

// Integers of any type, stored as 64 bits: exactly N of them, or any number of them. Exactly N, or
// up to 8 of any number, are stored without the heap. The constructor does not throw if a number
// does not fit, or if there are not N of them. A datatype made of such a list throws invalid_layout
// when it is used. If there is no memory for the list, the datatype throws std::bad_alloc.
template <std::size_t N = std::dynamic_extent>
class numbers {
 public:
  static constexpr std::size_t static_size = N;

  constexpr numbers() = default;
  template <detail::integer... I>
    requires(sizeof...(I) == N)
  constexpr numbers(I... n) : values_{detail::store<std::int64_t>(n)...} {}
  template <class... I>
  constexpr numbers(detail::number_list<I...> const& list)
    requires(sizeof...(I) == N)
  {
    for (std::size_t i = 0; i < N; ++i) values_[i] = list[i];
  }
  template <detail::integer_range R>
  constexpr numbers(R const& range) {
    auto const given = static_cast<std::size_t>(std::ranges::size(range));
    if (given != N) {
      if constexpr (N > 0) values_.fill(detail::no_number::of_list(given));
      return;
    }
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
    auto const given = static_cast<std::size_t>(std::ranges::size(range));
    if (!reserve(given))
      values_.push_back(detail::no_number::no_memory);
    else
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
  constexpr bool reserve(std::size_t n) {
    try {
      values_.reserve(n);
      return true;
    } catch (std::bad_alloc const&) {
      return false;
    }
  }

  detail::small_array<std::int64_t, 8> values_;
};

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/datatype/detail/faults.hpp>
#endif
