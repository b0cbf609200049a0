// Multi-dimensional views of any library: std::mdspan, Kokkos::View, Boost.MultiArray and similar
// types. They are recognised by their members, not by their names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <argosy/extend.hpp>

namespace argosy {
namespace detail {

// Returns the number of dimensions: T::rank() as in mdspan, T::rank as in Kokkos, T::dimensionality
// as in Boost.MultiArray.
template <class T>
constexpr std::size_t rank_of_type() {
  if constexpr (requires { std::bool_constant<(T::rank() >= 0)>{}; })
    return static_cast<std::size_t>(T::rank());
  else if constexpr (requires { std::bool_constant<(std::size_t{T::dimensionality} > 0)>{}; })
    return static_cast<std::size_t>(T::dimensionality);
  else if constexpr (requires { std::bool_constant<(static_cast<std::size_t>(T::rank) >= 0)>{}; })
    return static_cast<std::size_t>(T::rank);
  else
    return static_cast<std::size_t>(-1);
}

template <class T>
concept has_rank = rank_of_type<std::remove_cvref_t<T>>() != static_cast<std::size_t>(-1);

template <class T>
concept has_extent_functions = requires(T& t, std::size_t i) {
  static_cast<std::int64_t>(t.extent(i));
  static_cast<std::int64_t>(t.stride(i));
};
template <class T>
concept has_shape_and_strides = requires(T& t, std::size_t i) {
  static_cast<std::int64_t>(t.shape()[i]);
  static_cast<std::int64_t>(t.strides()[i]);
};

template <class P>
concept object_pointer = std::is_pointer_v<P> && std::is_object_v<std::remove_pointer_t<P>>;

template <class T>
concept has_data_handle = requires(T& t) {
  { t.data_handle() } -> object_pointer;
};
// Boost.MultiArray's origin() is the element with index 0 in every dimension, which may lie
// outside.
template <class T>
concept has_origin = requires(T& t, std::size_t i) {
  { t.origin() } -> object_pointer;
  static_cast<std::int64_t>(t.index_bases()[i]);
  static_cast<std::int64_t>(t.strides()[i]);
};
template <class T>
concept has_data = requires(T& t) {
  { t.data() } -> object_pointer;
};

template <class T>
constexpr std::int64_t extent_of(T& array, std::size_t i) {
  if constexpr (has_extent_functions<T>)
    return static_cast<std::int64_t>(array.extent(i));
  else
    return static_cast<std::int64_t>(array.shape()[i]);
}
template <class T>
constexpr std::int64_t stride_of(T& array, std::size_t i) {
  if constexpr (has_extent_functions<T>)
    return static_cast<std::int64_t>(array.stride(i));
  else
    return static_cast<std::int64_t>(array.strides()[i]);
}

// The number of facts of an array that a class has. With two of the three it is almost an array.
template <class T>
inline constexpr int array_facts =
    int{has_rank<T>} + int{has_extent_functions<T> || has_shape_and_strides<T>} +
    int{has_data_handle<T> || has_origin<T> || has_data<T>};

// Fails to compile and names the missing member.
template <class T>
constexpr void say_what_is_missing() {
  static_assert(has_rank<T>,
                "argosy::memory: this array does not tell its rank at compile time; give it "
                "static constexpr std::size_t rank()");
  if constexpr (!has_shape_and_strides<T>) {
    static_assert(
        requires(T& t, std::size_t i) { static_cast<std::int64_t>(t.extent(i)); },
        "argosy::memory: this array has no extent(i), const where it is passed as const");
    static_assert(
        requires(T& t, std::size_t i) { static_cast<std::int64_t>(t.stride(i)); },
        "argosy::memory: this array has no stride(i), in elements, const where it is passed as "
        "const");
  }
  static_assert(has_data_handle<T> || has_origin<T> || has_data<T>,
                "argosy::memory: this array has no data() that returns a pointer to its first "
                "element; where it is "
                "passed as const, data() must be const, too");
}

// True for an array of Kokkos in memory that the host cannot reach. The host needs its mirror.
template <class T>
inline constexpr bool is_on_device = false;
template <class T>
  requires requires {
    typename T::memory_space;
    typename T::HostMirror::memory_space;
  }
inline constexpr bool is_on_device<T> =
    !std::same_as<typename T::memory_space, typename T::HostMirror::memory_space>;
template <class T>
  requires requires {
    typename T::memory_space;
    typename T::host_mirror_type::memory_space;
  } && (!requires { typename T::HostMirror::memory_space; })
inline constexpr bool is_on_device<T> =
    !std::same_as<typename T::memory_space, typename T::host_mirror_type::memory_space>;

// Returns the address of the element with the lowest index in every dimension.
template <class T>
constexpr auto first_element_of(T& array) {
  if constexpr (has_data_handle<T>) {
    return array.data_handle();
  } else if constexpr (has_origin<T>) {
    std::ptrdiff_t first = 0;
    for (std::size_t i = 0; i < rank_of_type<std::remove_cvref_t<T>>(); ++i)
      first += static_cast<std::ptrdiff_t>(array.index_bases()[i]) *
               static_cast<std::ptrdiff_t>(array.strides()[i]);
    return array.origin() + first;
  } else {
    return array.data();
  }
}

}  // namespace detail

namespace extend {

// A view with a rank known at compile time, extents and strides counted in elements, and a pointer
// to the first element. A stride may be negative or 0. Element types, constness and layouts are
// those of the view.
template <class T>
concept mdspan_like =
    detail::has_rank<T> && (detail::has_extent_functions<T> || detail::has_shape_and_strides<T>) &&
    (detail::has_data_handle<T> || detail::has_origin<T> || detail::has_data<T>);

}  // namespace extend

namespace detail {

template <mdspan_like T>
inline constexpr std::size_t array_rank = detail::rank_of_type<std::remove_cvref_t<T>>();

}  // namespace detail

}  // namespace argosy
