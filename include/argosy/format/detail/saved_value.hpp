// Values of a checkpoint that are equal on all ranks: their elements, and their size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <argosy/datatype/memory.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/checkpoint_header.hpp>

namespace argosy::detail {

template <class T>
inline constexpr bool is_optional_element = false;
template <element_type T>
inline constexpr bool is_optional_element<std::optional<T>> = true;

template <class T>
concept resizable_range =
    std::ranges::sized_range<T> && std::default_initializable<std::ranges::range_value_t<T>> &&
    requires(T& x) { x.resize(std::size_t{1}); };

// A list of elements, one behind the other.
template <class T>
concept element_list = std::ranges::sized_range<T> && element_type<std::ranges::range_value_t<T>>;

// Rows of different lengths, each a list of elements of its own: std::vector<std::vector<double>>,
// std::vector<std::string>.
template <class T>
concept ragged_rows =
    std::ranges::contiguous_range<T> && std::ranges::sized_range<T> &&
    !element_type<std::ranges::range_value_t<T>> && element_list<std::ranges::range_value_t<T>> &&
    std::ranges::contiguous_range<std::ranges::range_value_t<T>>;

template <class T>
concept map_like = std::ranges::range<T> && requires { typename T::key_type; };

// True for the engines of <random>.
template <class T>
concept random_engine = requires(T& x) {
  typename T::result_type;
  x.seed();
  x.discard(1);
  { x() } -> std::same_as<typename T::result_type>;
};

template <class T>
concept pointer_like = std::is_pointer_v<T> || requires(T& x) {
  typename T::element_type;
  x.get();
  *x;
};

// A compile error that says why a checkpoint does not accept this type, and what to do.
template <class T>
constexpr void refuse_value() {
  static_assert(!random_engine<T>,
                "argosy::checkpoint: the state of a random-number engine is its own; save its "
                "text: write the engine to "
                "a std::ostringstream by <<, add the std::string, and after loading read the "
                "engine from it by >>");
  static_assert(!map_like<T>,
                "argosy::checkpoint: the elements of a map or a set do not lie one behind the "
                "other; copy its keys and "
                "its values into a std::vector each, and add these");
  static_assert(!pointer_like<T>,
                "argosy::checkpoint: a pointer means nothing to another run of the program; add "
                "what it points to");
  if constexpr (!random_engine<T> && !map_like<T> && !pointer_like<T>) {
    if constexpr (element_list<T>) {
      refuse_container<T>();
    } else if constexpr (std::ranges::range<T> || mdspan_like<T> ||
                         requires { typename T::value_type; }) {
      static_assert(std::is_void_v<T>,
                    "argosy::checkpoint: what is the same on all ranks is a number, a described "
                    "struct, a std::optional "
                    "of these, a list of them, or a vector of such lists; add the parts of this "
                    "type one by one, see "
                    "docs/use/formats.md");
    } else {
      (void)layout_of<T>();  // reports what is missing
    }
  }
}

// Returns the number of elements along the first dimension, if the file has a list of elements of
// this type there. Otherwise no value; load then reports the difference.
std::optional<std::int64_t> length_in(checkpoint_array const& stored, inner_type element,
                                      signature types);
template <class T>
std::optional<std::int64_t> length_in(checkpoint_array const& stored) {
  return length_in(stored, inner_type_of<T>(), types_of<T>());
}

template <class T>
array_part list_of(std::int64_t n) {
  return all_of({n}, inner_type_of<T>(), types_of<T>());
}

// Returns the elements of all rows, one row after the other.
template <class Rows>
auto memory_of_rows(Rows& rows) {
  using element = std::ranges::range_value_t<std::ranges::range_value_t<Rows>>;
  using pointer = decltype(std::ranges::data(*std::ranges::data(rows)));
  pointer first = nullptr;
  for (auto& row : rows)
    if (std::ranges::size(row) > 0 && (!first || std::less<>()(std::ranges::data(row), first)))
      first = std::ranges::data(row);
  layout const one = layout_of<element>();
  assembler all;
  std::int64_t count = 0;
  for (auto& row : rows) {
    auto const n = static_cast<std::int64_t>(std::ranges::size(row));
    if (n == 0) continue;
    auto const place = reinterpret_cast<std::intptr_t>(std::ranges::data(row)) -
                       reinterpret_cast<std::intptr_t>(first);
    all.add(place, repeat(n, one.extent(), one));
    count += n;
  }
  return make_buffer(first, all.finish(), signature().append(types_of<element>(), count));
}

template <class Rows>
void lengths_of(Rows const& rows, std::vector<std::int64_t>& into) {
  into.clear();
  into.reserve(std::ranges::size(rows));
  for (auto const& row : rows) into.push_back(static_cast<std::int64_t>(std::ranges::size(row)));
}

// Returns a failure if these cannot be the lengths of rows with so many elements together.
failure fault_of_lengths(std::span<std::int64_t const> lengths, std::int64_t elements,
                         std::string const& name);

}  // namespace argosy::detail
