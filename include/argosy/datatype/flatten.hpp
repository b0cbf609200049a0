// flatten(datatype): its layout, with everything that is known at compile time in the type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/datatype/datatype.hpp>
#include <argosy/layout/element_layout.hpp>
#include <argosy/layout/static_layout.hpp>

namespace argosy {
namespace detail {

// The static datatype at the core of a datatype with run-time numbers; void if there is none.
template <class D>
struct static_core {
  using type = void;
};
template <static_datatype D>
struct static_core<D> {
  using type = D;
};
template <class D>
  requires(!static_datatype<D> && requires { typename D::old_type; })
struct static_core<D> : static_core<typename D::old_type> {};

template <class D>
constexpr bool has_element() {
  using core = typename static_core<D>::type;
  if constexpr (std::is_void_v<core>)
    return false;
  else
    return !period_of<core>::form().empty();
}

}  // namespace detail

// Returns a static_layout, an empty object, if all numbers are fixed. Returns an element_layout for
// run-time numbers around a static record, and otherwise a layout. All convert to `layout const&`;
// pack and unpack are specialised for each. Local.
template <datatype D>
constexpr auto flatten(D const& d) {
  if constexpr (detail::static_datatype<D>)
    return detail::static_layout_of<D>{};
  else if constexpr (detail::has_element<D>())
    return detail::element_layout<
        detail::static_form_of<detail::period_of<typename detail::static_core<D>::type>>()>(
        d.form());
  else
    return layout(detail::form_of(d));
}

}  // namespace argosy
