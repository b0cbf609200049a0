// memory(x): the buffer of the data in x. Objects, ranges, C arrays and mdspan-like views; or a
// container, pointers or an address with a datatype.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/array_memory.hpp>
#include <argosy/datatype/detail/container_memory.hpp>
#include <argosy/datatype/detail/other_type.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/datatype/mdspan_like.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/datatype/typed_layout.hpp>

namespace argosy {
namespace detail {

template <class T>
concept byte_buffer = std::same_as<std::remove_cvref_t<T>, buffer> ||
                      std::same_as<std::remove_cvref_t<T>, const_buffer>;

// Returns the address of the first byte if offsets are addresses, and otherwise 0. Systems leave
// the lowest addresses free, so small offsets are no addresses.
constexpr std::int64_t absolute_start(layout const& form) {
  constexpr std::int64_t lowest_address = 1 << 16;
  return form.true_lower_bound() < lowest_address ? 0 : form.true_lower_bound();
}

// Returns the form of a datatype in memory of type T. If members of a base class are chosen, the
// stride is that of T.
template <class T, datatype D>
constexpr decltype(auto) form_at(D const& type) {
  if constexpr (choice_of_members<D> && std::is_class_v<T>)
    return layout(D::template form_in<std::remove_cv_t<T>>());
  else
    return form_of(type);
}

// Fails to compile for a container of elements that are not contiguous, or that only refer to data
// elsewhere.
template <class T>
constexpr void refuse_container() {
  using value = std::ranges::range_value_t<T>;
  constexpr bool is_contiguous = std::ranges::contiguous_range<T>;
  static_assert(is_contiguous,
                "argosy::memory: the elements of this container do not lie one behind the other, "
                "as those of a vector<bool>, a "
                "deque or a list; copy them into a std::vector, of char or std::uint8_t for bool");
  static_assert(!is_contiguous || !std::ranges::sized_range<value>,
                "argosy::memory: the rows of this container lie anywhere in memory; keep them in "
                "one std::vector, row behind "
                "row, or write each by a call of its own");
}

// Fails to compile if data of type T and the datatype certainly do not fit.
template <class T, datatype D>
constexpr void require_type_of() {
  static_assert(!are_other_numbers<T, D>(),
                "argosy::memory: the address is one of other numbers than the datatype is made of; "
                "give the datatype of what lies there");
  static_assert(!are_of_another_class<T, D>(),
                "argosy::memory: the members are of another class than what lies at the address; "
                "name members of that class");
}

// Containers without contiguous bytes that could be written: of bits, of nodes, or of other
// containers.
template <class T>
concept scattered_container =
    std::ranges::sized_range<T> && !std::is_array_v<T> && !element_type<T> &&
    (!std::ranges::contiguous_range<T> ||
     (std::ranges::sized_range<std::ranges::range_value_t<T>> &&
      !element_type<std::ranges::range_value_t<T>>));

// Containers with a form and types that are known from the element type alone. Most data is of this
// kind.
template <class T>
concept numbers_in_a_row =
    std::ranges::contiguous_range<T> && std::ranges::sized_range<T> &&
    !std::is_array_v<std::remove_cvref_t<T>> && !mdspan_like<std::remove_reference_t<T>> &&
    (std::is_arithmetic_v<std::ranges::range_value_t<T>> ||
     (std::is_enum_v<std::ranges::range_value_t<T>> &&
      !has_description<std::ranges::range_value_t<T>>));

// Containers of described elements.
template <class T>
concept structs_in_a_row =
    elements_in_a_row<T> && !numbers_in_a_row<T> && !std::is_array_v<std::remove_cvref_t<T>> &&
    element_type<std::ranges::range_value_t<T>> && !byte_buffer<T> &&
    !mdspan_like<std::remove_reference_t<T>> && !scattered_container<std::remove_cvref_t<T>>;

// Returns how often a datatype is in a container if the program gives no count.
template <class Container, class D>
std::int64_t default_count(Container& x, D const&) {
  if constexpr (elements_in_a_row<Container&>)
    if constexpr (is_of_one_element<D, std::ranges::range_value_t<Container>>)
      return static_cast<std::int64_t>(std::ranges::size(x));
  return 1;
}

}  // namespace detail

// Returns the buffer of the data in x.
//
//   io::memory(velocity)        std::vector<double>, std::span<float const>, double[3],
//                               a described struct, a scalar
//   io::memory(u)               std::mdspan, Kokkos::View, boost::multi_array: see below
// Local. Does not copy or allocate. Data that is const, or reached through const, gives a
// const_buffer. The buffer refers to the data, which must outlive it. A temporary that only refers
// to data, such as a std::span, is allowed. A temporary that owns its data is a compile error.
template <class T>
auto memory(T&& x) {
  using bare = std::remove_cvref_t<T>;
  if constexpr (detail::byte_buffer<T>) {
    return x;
  } else if constexpr (extend::mdspan_like<std::remove_reference_t<T>>) {
    return detail::memory_of_array(x, order::c);
  } else if constexpr (detail::range_of_pointers<T>) {
    static_assert(
        !detail::range_of_pointers<T>,
        "argosy::memory: these are pointers; say what lies behind each of them: {pointers, "
        "datatype}, or {pointers, datatype, count}");
    return buffer();
  } else if constexpr (detail::scattered_container<bare>) {
    detail::refuse_container<bare>();
    return buffer();
  } else if constexpr (std::ranges::contiguous_range<T> && !std::is_array_v<bare> &&
                       std::ranges::sized_range<T>) {
    static_assert(std::is_lvalue_reference_v<T> || std::ranges::borrowed_range<T>,
                  "argosy::memory: this temporary dies before its data is used; give it a name");
    auto const count = static_cast<std::int64_t>(std::ranges::size(x));
    using value = std::ranges::range_value_t<T>;
    if constexpr (detail::numbers_in_a_row<T>) {
      auto* const first = detail::first_byte(std::ranges::data(x));
      return detail::basic_buffer<std::remove_pointer_t<decltype(first)>>(
          first, detail::basic_of<value>(), count);
    } else
      return detail::described_buffer([&] {
        layout const one = detail::layout_of<value>();
        return detail::make_buffer(std::ranges::data(x), repeat(count, one.extent(), one),
                                   extend::signature().append(detail::types_of<value>(), count));
      });
  } else if constexpr (!element_type<bare> &&
                       detail::array_facts<std::remove_reference_t<T>> == 2) {
    detail::say_what_is_missing<std::remove_reference_t<T>>();
    return buffer();
  } else if constexpr (std::is_pointer_v<bare>) {
    static_assert(!std::is_pointer_v<bare>,
                  "argosy::memory: a pointer alone does not say how much lies there; give "
                  "{pointer, io::type<double>, "
                  "count}, or std::span(pointer, count)");
    return buffer();
  } else {
    static_assert(std::is_lvalue_reference_v<T>,
                  "argosy::memory: this temporary dies before its data is used; give it a name");
    return detail::make_buffer(std::addressof(x), detail::layout_of<bare>(),
                               detail::types_of<bare>());
  }
}

// Returns the buffer of multi-dimensional data in the order of its indices. The last index (C) or
// the first (Fortran) runs fastest in the stream, however the array is stored. The file therefore
// does not depend on the storage order of a program. Give the order of the file's array. Local.
template <class T>
  requires extend::mdspan_like<std::remove_reference_t<T>>
auto memory(T&& array, order o) {
  return detail::memory_of_array(array, o);
}

// Returns the buffer of `count` copies of a datatype at an address, as in MPI. A result of from_mpi
// may contain absolute addresses from MPI_Get_address; the address is then null, like MPI_BOTTOM.
// Local. The memory behind the address cannot be checked. If the count is negative or the datatype
// has a fault, the buffer throws invalid_layout when it is used.
template <class Address, datatype D>
  requires std::is_pointer_v<Address>
auto memory(Address const& address, D const& type, std::int64_t count = 1) {
  using T = std::remove_pointer_t<Address>;
  detail::require_type_of<T, D>();
  return detail::described_buffer([&] {
    layout form = detail::form_at<T>(type);
    detail::multiply(form, count, form.extent());
    T* first = address;
    if constexpr (std::same_as<D, extend::typed_layout>) {
      if (address == nullptr) {
        std::int64_t const low = detail::absolute_start(form);
        detail::builder::shift(form, -low);
        first = reinterpret_cast<T*>(static_cast<std::intptr_t>(low));
      }
    }
    return detail::make_buffer(first, std::move(form), detail::types_of_copies(type, count));
  });
}

// Returns the buffer of `count` copies of a datatype in a container, from its first element on.
// Local. If the count is left out, it is one copy. For the datatype of an element, or a choice of
// members, it is the number of elements. If the copies are not all in the container, the buffer
// throws invalid_layout when it is used, and a call reports an error.
//   io::memory(u, inside)                           std::vector<double> u; a subarray
//   io::memory(particles, io::members<&particle::x>{})
template <detail::elements_in_a_row Elements, datatype D>
auto memory(Elements&& x, D const& type, std::int64_t count) {
  using value = std::remove_pointer_t<decltype(std::ranges::data(x))>;
  static_assert(std::is_lvalue_reference_v<Elements> || std::ranges::borrowed_range<Elements>,
                "argosy: this temporary dies before its data is used; give it a name");
  static_assert(
      std::is_trivially_copyable_v<value> || detail::choice_of_members<D>,
      "argosy::memory: the elements of this container are not trivially copyable, so their "
      "bytes do not carry their values; pass what they hold");
  detail::require_type_of<value, D>();
  return detail::described_buffer([&] {
    layout form = detail::form_at<value>(type);
    detail::multiply(form, count, form.extent());
    detail::require_inside(form, std::ranges::size(x), sizeof(value), "container");
    return detail::make_buffer(std::ranges::data(x), std::move(form),
                               detail::types_of_copies(type, count));
  });
}
template <detail::elements_in_a_row Elements, datatype D>
auto memory(Elements&& x, D const& type) {
  std::int64_t const count = detail::default_count(x, type);
  return memory(std::forward<Elements>(x), type, count);
}

// Returns the buffer of `count` copies of a datatype behind each pointer of a range, in its order.
// The blocks may lie anywhere. The addresses are read now. Local. If a pointer is null, the buffer
// has an error that names its index. It also has an error if the datatype is larger than the object
// of a std::unique_ptr.
//   io::memory(blocks, io::members<&block::u>{})    std::vector<std::unique_ptr<block>> blocks
//   io::memory(patches, inside)                     std::vector<double*> patches; a subarray
template <detail::range_of_pointers Pointers, datatype D>
auto memory(Pointers&& pointers, D const& type, std::int64_t count = 1) {
  using pointer = std::remove_cvref_t<std::ranges::range_reference_t<Pointers>>;
  using T = detail::pointee<pointer>;
  detail::require_type_of<T, D>();
  return detail::described_buffer([&] {
    std::vector<std::intptr_t> const all = detail::addresses_of(pointers);
    std::intptr_t const low = all.empty() ? 0 : *std::ranges::min_element(all);
    auto const& one = detail::form_at<T>(type);
    layout const copies = repeat(count, one.extent(), one);
    if constexpr (detail::points_to_one<pointer>)
      detail::require_inside(copies, 1, sizeof(T), "object");
    std::int64_t const blocks = static_cast<std::int64_t>(all.size());
    return detail::make_buffer(reinterpret_cast<T*>(low), detail::form_behind(all, low, copies),
                               detail::types_of_copies(type, detail::mul(count, blocks)));
  });
}

}  // namespace argosy
