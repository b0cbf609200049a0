// The type of an array's elements in a file, with NumPy's names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/datatype/element.hpp>
#include <argosy/extend.hpp>

namespace argosy {

namespace detail {
struct dtype_field;
}  // namespace detail

namespace extend {

// The type of an element.
//
//   io::extend::dtype_of<double>()           '<f8'
//   io::extend::dtype_of<particle>()         [('x', '<f8', (3,)), ('id', '<i4')]
//
// The fields of a record are the described members. A regular value.
struct dtype {
  // The kind: b truth, i u integers, f c real and complex numbers, S U text, M m times, V bytes; r
  // a record.
  char kind = 'V';
  char order = '|';                         // '<' little-endian, '>' big-endian, '|' neither
  std::int64_t bytes = 0;                   // size of one element
  std::string unit = {};                    // unit of times: "[ns]"
  std::vector<detail::dtype_field> fields;  // fields of a record, in the order of their places

  friend bool operator==(dtype const& a, dtype const& b);
};

}  // namespace extend

namespace detail {

struct dtype_field {
  std::string name;  // empty for unused bytes
  dtype type = {};
  std::vector<std::int64_t> shape = {};  // empty: one value
  std::int64_t offset = 0;               // in the record
  friend bool operator==(dtype_field const& a, dtype_field const& b) = default;
};

}  // namespace detail

namespace extend {

// Returns NumPy's name of the type, in a form that Python reads: '<f8'. Local.
std::string to_string(dtype const& type);

}  // namespace extend

using extend::to_string;

namespace detail {

inline constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

// The type and shape of an element. Arrays of arrays are arrays of more dimensions: `inner` has the
// additional ones, in C order.
struct inner_type {
  dtype type;
  std::vector<std::int64_t> inner = {};
};

void add_field(dtype& record, std::string_view name, inner_type field);

template <class T>
inner_type inner_type_of();

// Returns the record of a description: members, and perhaps names of their own.
template <class Description>
dtype record_of_fields() {
  dtype all{.kind = 'r', .fields = {}};
  std::size_t i = 0;
  Description::visit_fields([&](std::string_view name, auto type) {
    if constexpr (requires { Description::names[0]; })
      name = std::string_view(Description::names[i]);
    ++i;
    add_field(all, name, inner_type_of<typename decltype(type)::type>());
  });
  return all;
}

template <class T>
inner_type inner_type_of() {
  auto const number = [](char kind) {
    return inner_type{{.kind = kind,
                       .order = sizeof(T) == 1 ? '|' : native_order,
                       .bytes = sizeof(T),
                       .fields = {}}};
  };
  if constexpr (!std::is_same_v<T, std::remove_cv_t<T>>) {
    return inner_type_of<std::remove_cv_t<T>>();
  } else if constexpr (std::is_bounded_array_v<T>) {
    inner_type one = inner_type_of<std::remove_extent_t<T>>();
    one.inner.insert(one.inner.begin(), static_cast<std::int64_t>(std::extent_v<T>));
    return one;
  } else if constexpr (is_std_array<T>) {
    inner_type one = inner_type_of<typename T::value_type>();
    one.inner.insert(one.inner.begin(), static_cast<std::int64_t>(std::tuple_size_v<T>));
    return one;
  } else if constexpr (has_description<T>) {
    if constexpr (requires { describe<T>::visit_fields([](std::string_view, auto) {}); })
      return {record_of_fields<describe<T>>()};
    else
      return {{.kind = 'V', .bytes = layout_of<T>().size(), .fields = {}}};
  } else if constexpr (is_complex<T>) {
    return number('c');
  } else if constexpr (std::is_same_v<T, bool>) {
    return number('b');
  } else if constexpr (std::is_same_v<T, std::byte>) {
    return number('u');
  } else if constexpr (std::is_enum_v<T>) {
    return inner_type_of<std::underlying_type_t<T>>();
  } else if constexpr (std::is_floating_point_v<T>) {
    return number('f');
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8,
                  "argosy::extend::dtype_of: NumPy has no type for this");
    return number(std::is_signed_v<T> ? 'i' : 'u');
  }
}

}  // namespace detail

namespace extend {

// Returns the NumPy type of any C++ type of `io::type`. Local. Members have their names in the
// program, unless the description has `names`:
//   struct columns : io::members<&particle::x_, &particle::id_> {
//     static constexpr char const* names[] = {"x", "id"};
//   };
//   columns describe(particle const&);
// If a description has only a form, the type is bytes, such as 'V28'.
template <element_type T>
dtype dtype_of() {
  detail::inner_type t = detail::inner_type_of<T>();
  if (t.inner.empty()) return std::move(t.type);
  dtype all{.kind = 'r', .fields = {}};  // NumPy has arrays only as fields
  detail::add_field(all, "f0", std::move(t));
  return all;
}

}  // namespace extend

}  // namespace argosy
