// Function bodies of view that are templates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include <argosy/datatype/file_form.hpp>
#include <argosy/datatype/resized.hpp>
#include <argosy/view/view.hpp>

namespace argosy {
namespace detail {

// Returns the datatype at the core of others. A user would call it the elements.
template <datatype D>
constexpr decltype(auto) core_of(D const& type) {
  if constexpr (typed_copies<D>)
    return core_of(type.old());
  else
    return (type);
}

// True for the core with another extent, if `resized` gave it one. An example is a record with the
// end of its struct.
template <class D>
inline constexpr bool is_resized_core = false;
template <class Old, class L, class E>
inline constexpr bool is_resized_core<resized_type<Old, L, E>> =
    !typed_copies<Old> || is_resized_core<Old>;
template <datatype D>
constexpr decltype(auto) resized_core_of(D const& type) {
  if constexpr (typed_copies<D> && !is_resized_core<D>)
    return resized_core_of(type.old());
  else
    return (type);
}

}  // namespace detail

template <datatype Filetype>
void view::make_of(Filetype const& type, layout filetype) {
  auto const& core = detail::core_of(type);
  layout etype = file_form(core, representation_);
  using enum detail::filetype_fault;
  detail::filetype_fault fault = detail::check_filetype(etype, filetype, false);
  if (fault == not_etypes) {
    layout whole = file_form(detail::resized_core_of(type), representation_);
    if (detail::check_filetype(whole, filetype, false) == no_fault) {
      etype = std::move(whole);
      fault = no_fault;
    }
  }
  // The type can be a filetype, but not an etype.
  if (fault == etype_empty || fault == etype_bounds || fault == etype_order)
    make(bytes(1), std::move(filetype),
         extend::stream_types(extend::signature(extend::basic_type::byte)));
  else
    make(std::move(etype), std::move(filetype), detail::types_of_copies(core, 1));
}

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/view/detail/view_queries.hpp>
#endif
