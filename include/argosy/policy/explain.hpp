// explain<Policy>(filetype, data): the plan of a local call with static datatypes, made by the
// compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <argosy/datatype/datatype.hpp>
#include <argosy/extend.hpp>
#include <argosy/plan/plan.hpp>
#include <argosy/policy/fixed_policy.hpp>
#include <argosy/policy/policy.hpp>
#include <argosy/view/view.hpp>

namespace argosy {

namespace extend {

// A plan with a number of windows that is part of its type. It needs no heap, so it can be a
// constant.
template <std::size_t Windows>
struct static_plan {
  std::string_view policy;
  access_kind kind = access_kind::read;
  std::array<window, Windows> each = {};
  std::int64_t buffer_bytes = 0;  // staging memory that the call will take

  static constexpr std::int64_t windows() noexcept { return Windows; }
  // Return what the functions of argosy::plan do.
  constexpr std::int64_t wanted() const noexcept { return detail::wanted_of(each); }
  constexpr std::int64_t file_calls() const noexcept { return detail::file_calls_of(each, kind); }
  friend constexpr bool operator==(static_plan const&, static_plan const&) = default;
};

}  // namespace extend

namespace detail {

// Does not compile if the data does not fit the view, as a call would find at run time. The
// compiler prints the numbers with the template.
template <access_kind Kind, static_datatype Filetype, static_datatype Data,
          std::int64_t DataBytes = Data{}.form().size(),
          std::int64_t EtypeBytes = etype_type_of<Filetype>{}.form().size()>
struct require_fitting : require_rules<view_use::read_only, etype_type_of<Filetype>, Filetype> {
  static constexpr bool fills_etypes = EtypeBytes == 0 || DataBytes % EtypeBytes == 0;
  static constexpr bool writes_bytes_once =
      Kind == access_kind::read ||
      rules_of_filetype<Filetype>().for_writing != filetype_fault::overlap;
  static constexpr bool has_types_of_view =
      !fills_etypes || types_agree<etype_type_of<Filetype>, Data>();
  static_assert(fills_etypes,
                "argosy: the data is no whole number of etypes of the view; give whole ones, or a "
                "view of bytes");
  static_assert(writes_bytes_once,
                "argosy: the filetype names a byte twice, so it cannot be written; make its parts "
                "disjoint");
  static_assert(has_types_of_view,
                "argosy: the data is of other types than the etype of the view; give a view of the "
                "type of the data");
};

// Calls f(access) with the access of static datatypes.
template <access_kind Kind, static_datatype Filetype, static_datatype Data, class F>
constexpr auto with_access(F&& f) {
  view const v(0, Filetype{});
  layout const memory = Data{}.form();
  return f(access{Kind, v.stream(), 0, memory.size(), memory, v.in_order()});
}

template <auto Policy, access_kind Kind, static_datatype Filetype, static_datatype Data>
constexpr std::size_t count_windows() {
  return with_access<Kind, Filetype, Data>([](access const& wanted) {
    std::size_t windows = 0;
    for_each_window(Policy, wanted, [&](window const&) { ++windows; });
    return windows;
  });
}

}  // namespace detail

// Returns the plan of a read, or of a write, from the start of a view of `filetype` on. It has the
// windows that f.explain would have. A constant:
//   static_assert(io::explain<io::sieving{}>(tile, block).windows() == 1);
//   static_assert(io::explain<io::sieving{}, io::access_kind::write>(tile, block).windows() == 1);
// Does not compile if a datatype is not static, or if the filetype breaks a rule. Does not compile
// either if the data is no whole number of etypes of the view, or of other types.
template <auto Policy, access_kind Kind = access_kind::read, datatype Filetype, datatype Data>
consteval auto explain(Filetype const&, Data const&) {
  using policy_type = std::remove_cvref_t<decltype(Policy)>;
  constexpr bool is_of_one_rank = extend::independent_policy<policy_type>;
  constexpr bool are_static = detail::static_datatype<Filetype> && detail::static_datatype<Data>;
  static_assert(
      is_of_one_rank,
      "argosy::explain: this is no policy of one rank by itself, such as io::sieving{}; a "
      "policy of all ranks plans from the requests of all: f.explain_all tells what it "
      "does");
  static_assert(are_static,
                "argosy::explain: not all numbers of filetype and data are in their types; give "
                "io::constant<8> instead of 8, or ask f.explain at run time");
  if constexpr (is_of_one_rank && are_static) {
    (void)detail::require_fitting<Kind, Filetype, Data>();
    constexpr std::size_t windows = detail::count_windows<Policy, Kind, Filetype, Data>();
    extend::static_plan<windows> p{policy_type::name, Kind};
    detail::with_access<Kind, Filetype, Data>([&](access const& wanted) {
      p.buffer_bytes = Policy.buffer_for(wanted);
      std::size_t i = 0;
      detail::for_each_window(Policy, wanted, [&](extend::window const& w) { p.each[i++] = w; });
      return i;
    });
    return p;
  } else {
    return extend::static_plan<0>();
  }
}

}  // namespace argosy
