// Number, types and offsets of the fields of an aggregate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <boost/pfr/core.hpp>
#include <boost/pfr/tuple_size.hpp>

#include <argosy/datatype/detail/member_offset.hpp>

namespace argosy::detail {

struct any_value {
  template <class T>
  constexpr operator T&() const noexcept;
  template <class T>
  constexpr operator T&&() const noexcept;
};

// Returns true if T can be written as `Before` values, {}, and `After` values.
template <class T, std::size_t Before, std::size_t After>
constexpr bool accepts() {
  return
      []<std::size_t... B, std::size_t... A>(std::index_sequence<B...>, std::index_sequence<A...>) {
        return requires { T{(void(B), any_value{})..., {}, (void(A), any_value{})...}; };
      }(std::make_index_sequence<Before>(), std::make_index_sequence<After>());
}

// Returns the number of values for the field that begins after `Before` of `All` values: more than
// one for a C array.
template <class T, std::size_t Before, std::size_t All, std::size_t After = All - Before - 1>
constexpr std::size_t values_of_field() {
  if constexpr (After == 0 || accepts<T, Before, After>())
    return All - Before - After;
  else
    return values_of_field<T, Before, All, After - 1>();
}

// Returns the number of fields. Boost.PFR counts the values that initialise T, which are more if
// some fields are C arrays.
template <class T, std::size_t Before, std::size_t All>
constexpr std::size_t count_fields() {
  if constexpr (Before == All)
    return 0;
  else
    return 1 + count_fields<T, Before + values_of_field<T, Before, All>(), All>();
}

template <class T>
constexpr std::size_t number_of_fields() {
  if constexpr (std::is_empty_v<T>)
    return 0;
  else
    return count_fields<T, 0, boost::pfr::tuple_size_v<T>>();
}
template <class T>
inline constexpr std::size_t field_count = number_of_fields<T>();

template <class T>
constexpr auto tie_fields(T& value) {
  return boost::pfr::detail::tie_as_tuple(
      value, boost::pfr::detail::size_t_<field_count<std::remove_const_t<T>>>{});
}

template <class T, std::size_t I>
using field_type = std::remove_cvref_t<typename boost::pfr::detail::sequence_tuple::tuple_element<
    I, decltype(tie_fields(std::declval<T&>()))>::type>;

template <class T>
constexpr auto field_offsets() {
  std::array<std::int64_t, field_count<T>> offsets{};
  if constexpr (field_count<T> > 0) {
    auto const fields = tie_fields(outline<T>.object);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((offsets[I] = offset_in<T>(&boost::pfr::detail::sequence_tuple::get<I>(fields))), ...);
    }(std::make_index_sequence<field_count<T>>());
  }
  return offsets;
}

// Returns true if the fields were understood: located, inside the object, not overlapping, and with
// gaps no larger than padding.
template <class T, std::size_t N>
constexpr bool fields_fill(std::array<std::int64_t, N> const& offsets) {
  if constexpr (N == 0) {
    return std::is_empty_v<T>;
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::int64_t end = 0;
      bool ordered = true;
      bool const any_empty = (std::is_empty_v<field_type<T, I>> || ...);
      auto const padding = [&](std::int64_t gap) {
        return gap >= 0 && (any_empty || gap < static_cast<std::int64_t>(alignof(T)));
      };
      auto const next = [&](std::int64_t offset, std::size_t size, bool empty) {
        ordered = ordered && offset >= 0 && (empty || padding(offset - end));
        if (!empty) end = offset + static_cast<std::int64_t>(size);
      };
      (next(offsets[I], sizeof(field_type<T, I>), std::is_empty_v<field_type<T, I>>), ...);
      return ordered && padding(static_cast<std::int64_t>(sizeof(T)) - end);
    }(std::make_index_sequence<N>());
  }
}

}  // namespace argosy::detail
