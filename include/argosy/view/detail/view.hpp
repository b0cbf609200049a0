// Function bodies of view that make it, for programs and for the compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <argosy/datatype/detail/type_digest.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/datatype/resized.hpp>
#include <argosy/layout/detail/linked.hpp>
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

// Repeats the filetype as often as sizes and the ends of its bytes stay below 2^63. The bounds of
// the result are those of its bytes, since those of the last copy may lie beyond. If the last piece
// of a table joins the next copy, and there are at least a million copies, the last copy is not
// whole. No file reaches that copy, and this saves as much memory as the table takes.
constexpr layout tiles(std::int64_t displacement, layout const& filetype) {
  if (filetype.empty()) return {};
  std::int64_t const most = std::numeric_limits<std::int64_t>::max(), extent = filetype.extent();
  std::int64_t const room = most - displacement - filetype.true_upper_bound();
  std::int64_t count = most / filetype.size();
  if (extent != 0) count = std::min(count, room < 0 ? 1 : room / extent + 1);
  bool const whole = count < (1 << 20);
  layout const one = resized(filetype, filetype.true_lower_bound(), filetype.true_extent());
  return at(displacement, copies(count, extent, one, whole));
}

template <static_datatype Filetype>
using core_type_of = std::remove_cvref_t<decltype(core_of(std::declval<Filetype const&>()))>;
template <static_datatype Filetype>
using resized_core_type_of =
    std::remove_cvref_t<decltype(resized_core_of(std::declval<Filetype const&>()))>;

template <static_datatype Filetype>
inline constexpr chosen_etype etype_of = choose_etype(
    core_type_of<Filetype>{}.form(), [] { return resized_core_type_of<Filetype>{}.form(); },
    Filetype{}.form());

// The type of the etype that a view of a static filetype has.
template <static_datatype Filetype>
using etype_type_of =
    std::conditional_t<etype_of<Filetype> == chosen_etype::core, core_type_of<Filetype>,
                       std::conditional_t<etype_of<Filetype> == chosen_etype::byte,
                                          element<std::byte>, resized_core_type_of<Filetype>>>;

template <static_datatype Filetype>
constexpr known_rules rules_of_filetype() {
  using etype = etype_type_of<Filetype>;
  (void)require_rules<view_use::read_only, etype, Filetype>();
  return rules_of<etype, Filetype>;
}

}  // namespace detail

template <datatype Etype, datatype Filetype>
constexpr void view::make_of(Etype const& etype, Filetype const& filetype) {
  make(file_form(etype), file_form(filetype), detail::types_of_copies(etype, 1));
  keep_array_sizes(filetype);
  // The compiler has compared the types of static datatypes.
  if constexpr (detail::knows_types<Etype> && detail::knows_types<Filetype>)
    if (!rules_.known) compare_types(detail::signature_of(etype), detail::signature_of(filetype));
}

template <datatype Filetype>
constexpr detail::chosen_etype view::etype_for(Filetype const& type, layout const& core,
                                               layout const& filetype) const {
  if constexpr (detail::static_datatype<Filetype>)
    if (rules_.known) return detail::etype_of<Filetype>;
  return detail::choose_etype(
      core, [&] { return file_form(detail::resized_core_of(type)); }, filetype);
}

template <datatype Filetype>
constexpr void view::make_of(Filetype const& type) {
  auto const& core = detail::core_of(type);
  layout etype = file_form(core), filetype = file_form(type);
  auto const chosen = etype_for(type, etype, filetype);
  if (chosen == detail::chosen_etype::byte) {
    make(bytes(1), std::move(filetype),
         extend::stream_types(extend::signature(extend::basic_type::byte)));
  } else {
    if (chosen == detail::chosen_etype::resized_core)
      etype = file_form(detail::resized_core_of(type));
    make(std::move(etype), std::move(filetype), detail::types_of_copies(core, 1));
  }
  keep_array_sizes(type);
}

constexpr void view::make(layout etype, layout filetype, extend::stream_types types) {
  etype_ = std::move(etype);
  filetype_ = std::move(filetype);
  etype_types_ = std::move(types);
  detail::once([&] { make_here(); }, [&] { make_in_library(); });
}

constexpr void view::make_here() {
  if (displacement_ < 0) detail::throw_displacement(displacement_);
  // MPI libraries do not allow filetypes of fractions of etypes either.
  detail::filetype_fault const fault = this->fault(false);
  uneven_ = fault == detail::filetype_fault::not_etypes && filetype_.size() % etype_.size() == 0;
  if (fault != detail::filetype_fault::no_fault && !uneven_)
    detail::throw_filetype(fault, etype_, filetype_);
  stream_ = detail::tiles(displacement_, filetype_);
  if (uneven_) detail::throw_filetype(fault, etype_, filetype_);
}

constexpr void view::compare_types(extend::signature const& etype,
                                   extend::signature const& filetype) {
  detail::once([&] { compare_types_here(etype, filetype); },
               [&] { compare_types_in_library(etype, filetype); });
}

// Checks that a filetype is made of whole etypes (MPI 3.1, 13.3). Bytes fit everything.
constexpr void view::compare_types_here(extend::signature const& etype,
                                        extend::signature const& filetype) {
  bool const converts = representation_.converts();
  detail::type_digest const wanted(etype, converts), given(filetype, converts);
  if (wanted.is_bytes() || given.is_bytes() || etype_.empty()) return;
  if (!given.repeats(wanted, filetype_.size() / etype_.size())) say_types(etype, filetype);
}

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/view/detail/view_queries.hpp>
#endif
