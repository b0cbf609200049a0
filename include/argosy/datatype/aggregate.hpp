// Aggregates as elements, found by Boost.PFR. Every member lies at its place; padding is left out.
// Include this header to use it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <type_traits>

#include <argosy/datatype/detail/aggregate_fields.hpp>
#include <argosy/datatype/element.hpp>

namespace argosy {

// Describes an aggregate by its members.
//
//   struct particle { double x[3]; int id; };
//   io::contiguous(n, io::type<particle>)       28 of every 32 bytes
// If a class has a description by `describe`, that is used instead.
template <detail::plain_aggregate T>
struct describe<T> {
  static constexpr bool by_fields = true;
  static constexpr bool is_static = []<std::size_t... I>(std::index_sequence<I...>) {
    return (detail::has_constant_form<detail::field_type<T, I>>() && ...);
  }(std::make_index_sequence<detail::field_count<T>>());
  static constexpr layout form() {
    constexpr auto offsets = detail::field_offsets<T>();
    static_assert(detail::fields_fill<T>(offsets),
                  "argosy: Boost.PFR does not see the members of this aggregate (bases, "
                  "bit-fields); specialise "
                  "argosy::describe<T>, see docs/use/datatypes.md");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return concat(at(offsets[I], detail::layout_of<detail::field_type<T, I>>())...);
    }(std::make_index_sequence<detail::field_count<T>>());
  }
  static constexpr extend::signature types() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      extend::signature all;
      (all.append(detail::types_of<detail::field_type<T, I>>()), ...);
      return all;
    }(std::make_index_sequence<detail::field_count<T>>());
  }
  // Calls f(name, std::type_identity<type>()) for each field. Boost.PFR does not report names, so
  // they are empty.
  template <class F>
  static constexpr void visit_fields(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(std::string_view(), std::type_identity<detail::field_type<T, I>>()), ...);
    }(std::make_index_sequence<detail::field_count<T>>());
  }
  static constexpr layout file_form(basic_sizes const& sizes) {
    constexpr auto offsets = detail::field_offsets<T>();
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return concat(at(offsets[I], detail::file_layout_of<detail::field_type<T, I>>(sizes))...);
    }(std::make_index_sequence<detail::field_count<T>>());
  }
};

}  // namespace argosy
