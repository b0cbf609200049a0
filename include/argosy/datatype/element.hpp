// C++ types as datatypes: io::type<double>. Arithmetic types, enums,
// std::byte, std::complex, arrays of those, and types described by io::describe. Whole aggregates
// are in <argosy/datatype/aggregate.hpp>.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/detail/described_by_function.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/extend.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

// The description of a class: the members that are read and written. Declare a function `describe`
// next to your class, without a body. A friend may name private members.
//   io::members<&particle::x, &particle::id> describe(particle const&);
// The function may also return a class of your own with a static form(), instead of `members`:
//   struct first_8_bytes { static constexpr io::layout form() { return io::bytes(8); } };
//   first_8_bytes describe(tagged const&);
// If you cannot add that function, because the class belongs to another library, specialise this
// template:
//   template <> struct argosy::describe<::other::point> : argosy::members<&::other::point::x> {};
// The stride of an array of T is sizeof(T), whatever the description leaves out. If the form is
// known at run time only, the description has `static constexpr bool is_static = false`.
template <class T>
struct describe;
template <class T>
  requires detail::described_by_function<T>
struct describe<T> : detail::function_of_class::description<T> {};

namespace detail {

template <class T>
constexpr layout layout_of();
template <class T>
constexpr signature types_of();
template <class T>
constexpr layout file_layout_of(basic_sizes const& sizes);

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

template <class T>
concept has_description = requires { sizeof(describe<T>); };

template <class T>
constexpr bool is_described() {
  if constexpr (!std::is_same_v<T, std::remove_cv_t<T>>)
    return is_described<std::remove_cv_t<T>>();
  else if constexpr (std::is_bounded_array_v<T>)
    return is_described<std::remove_extent_t<T>>();
  else if constexpr (is_std_array<T>)
    return is_described<typename T::value_type>();
  else
    return std::is_arithmetic_v<T> || std::is_enum_v<T> || is_complex<T> || has_description<T>;
}

// An aggregate that <argosy/datatype/aggregate.hpp> can describe.
template <class T>
concept plain_aggregate =
    std::is_aggregate_v<T> && std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
    !is_std_array<T> && !described_by_function<T>;

// Returns true if the form of T is a constant. Otherwise it is known at run time only.
template <class T>
constexpr bool has_constant_form() {
  if constexpr (!std::is_same_v<T, std::remove_cv_t<T>>) {
    return has_constant_form<std::remove_cv_t<T>>();
  } else if constexpr (std::is_bounded_array_v<T>) {
    return has_constant_form<std::remove_extent_t<T>>();
  } else if constexpr (has_description<T>) {
    if constexpr (requires { describe<T>::is_static; })
      return describe<T>::is_static;
    else
      return true;
  } else if constexpr (is_std_array<T>) {
    return has_constant_form<typename T::value_type>();
  } else {
    return true;
  }
}

constexpr layout copies_of(layout const& part, std::int64_t count, std::size_t size) {
  return resized(repeat(count, part.extent(), part), 0, static_cast<std::int64_t>(size));
}

constexpr layout placed_in(layout const& form, std::size_t size) {
  if (form.true_lower_bound() < 0 || form.true_upper_bound() > static_cast<std::int64_t>(size))
    throw invalid_layout(
        "argosy::describe: the described bytes lie outside the object; check the offsets against "
        "sizeof");
  return resized(form, 0, static_cast<std::int64_t>(size));
}

}  // namespace detail

// True if T can be flattened. Never a compile error; `layout_of` reports what is missing.
template <class T>
concept element_type = detail::is_described<std::remove_reference_t<T>>();

namespace detail {

// Returns the layout of the data of one T, without padding and members that are not described.
// A constant if has_constant_form<T>().
template <class T>
constexpr layout layout_of() {
  if constexpr (!std::is_same_v<T, std::remove_cv_t<T>>) {
    return layout_of<std::remove_cv_t<T>>();
  } else if constexpr (std::is_bounded_array_v<T>) {
    return detail::copies_of(layout_of<std::remove_extent_t<T>>(), std::extent_v<T>, sizeof(T));
  } else if constexpr (detail::has_description<T>) {
    if constexpr (requires { describe<T>::template form_in<T>(); })
      return detail::placed_in(describe<T>::template form_in<T>(), sizeof(T));
    else
      return detail::placed_in(describe<T>::form(), sizeof(T));
  } else if constexpr (detail::is_std_array<T>) {
    return detail::copies_of(layout_of<typename T::value_type>(),
                             static_cast<std::int64_t>(std::tuple_size_v<T>), sizeof(T));
  } else if constexpr (detail::is_described<T>()) {
    return bytes(sizeof(T));
  } else {
    constexpr bool has_no_address =
        !std::is_pointer_v<T> && !std::is_member_pointer_v<T> && !std::is_null_pointer_v<T>;
    static_assert(
        has_no_address,
        "argosy: a pointer means nothing in a file or on another rank; describe the members that "
        "do with argosy::members, see docs/use/datatypes.md");
    static_assert(std::is_trivially_copyable_v<T>,
                  "argosy: this type is not trivially copyable, so its bytes do not carry its "
                  "value: pass what it "
                  "holds, or choose members with argosy::describe<T>, see docs/use/datatypes.md");
    static_assert(
        detail::is_described<T>() || !has_no_address || !std::is_trivially_copyable_v<T>,
        "no flat layout for this type: include argosy/datatype/aggregate.hpp or specialise "
        "argosy::describe<T>, see docs/use/datatypes.md");
    return {};
  }
}

// Returns the basic types of the data of one T, in the same order. A `describe` that gives a form
// by hand may also have `types()`, a signature of the same size. Without it the data is bytes,
// which no representation converts.
template <class T>
constexpr signature types_of() {
  signature all;
  if constexpr (!std::is_same_v<T, std::remove_cv_t<T>>) {
    return types_of<std::remove_cv_t<T>>();
  } else if constexpr (std::is_bounded_array_v<T>) {
    return all.append(types_of<std::remove_extent_t<T>>(), std::extent_v<T>);
  } else if constexpr (detail::has_description<T>) {
    if constexpr (requires { describe<T>::template types_in<T>(); })
      return describe<T>::template types_in<T>();
    else if constexpr (requires { describe<T>::types(); })
      return describe<T>::types();
    else
      return signature(basic_type::byte, layout_of<T>().size());
  } else if constexpr (detail::is_std_array<T>) {
    return all.append(types_of<typename T::value_type>(),
                      static_cast<std::int64_t>(std::tuple_size_v<T>));
  } else if constexpr (detail::is_complex<T>) {
    return all.append(types_of<typename T::value_type>(), 2);
  } else if constexpr (detail::is_described<T>()) {
    return signature(basic_of<T>());
  } else {
    return all;  // layout_of reports what is missing
  }
}

// Returns the form for other sizes of basic types. Elements of arrays stay adjacent. Members of a
// class stay at their places, and the class keeps its extent.
template <class T>
constexpr layout file_layout_of(basic_sizes const& sizes) {
  auto const copies = [](layout const& one, std::size_t n) {
    return repeat(static_cast<std::int64_t>(n), one.extent(), one);
  };
  if constexpr (!std::is_same_v<T, std::remove_cv_t<T>>) {
    return file_layout_of<std::remove_cv_t<T>>(sizes);
  } else if constexpr (std::is_bounded_array_v<T>) {
    return copies(file_layout_of<std::remove_extent_t<T>>(sizes), std::extent_v<T>);
  } else if constexpr (detail::has_description<T>) {
    if constexpr (requires { describe<T>::template file_form_in<T>(sizes); })
      return resized(describe<T>::template file_form_in<T>(sizes), 0, sizeof(T));
    else if constexpr (requires { describe<T>::file_form(sizes); })
      return resized(describe<T>::file_form(sizes), 0, sizeof(T));
    else
      return layout_of<T>();
  } else if constexpr (detail::is_std_array<T>) {
    return copies(file_layout_of<typename T::value_type>(sizes), std::tuple_size_v<T>);
  } else if constexpr (detail::is_complex<T>) {
    return copies(file_layout_of<typename T::value_type>(sizes), 2);
  } else if constexpr (detail::is_described<T>()) {
    return bytes(size_in(sizes, basic_of<T>()));
  } else {
    return {};  // layout_of reports what is missing
  }
}

}  // namespace detail

namespace extend {

// A C++ type as a leaf of a datatype.
template <class T>
struct element {
  using value_type = T;
  static constexpr bool is_static = detail::has_constant_form<T>();
  constexpr layout form() const { return detail::layout_of<T>(); }
  constexpr signature types() const { return detail::types_of<T>(); }
  constexpr layout file_form(basic_sizes const& sizes) const {
    return detail::file_layout_of<T>(sizes);
  }
};

}  // namespace extend

// The datatype of a C++ type.
//
//   io::vector(ny, 1, nx, io::type<double>)
template <class T>
inline constexpr extend::element<T> type{};

}  // namespace argosy

#include <argosy/datatype/members.hpp>
