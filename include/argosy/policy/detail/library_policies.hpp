// The policies of the library in one list. All tables of policies are made from it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

namespace argosy {

struct automatic;
struct independent;
struct sieving;
struct two_phase;
struct data_shipping;

namespace detail {

template <class... Policies>
struct policy_list {
  static constexpr std::size_t size = sizeof...(Policies);
  template <class P>
  static constexpr bool has = (std::is_same_v<P, Policies> || ...);
  template <class P>
    requires has<P>
  static constexpr std::size_t place_of() noexcept {
    constexpr std::array<bool, size> is{std::is_same_v<P, Policies>...};
    std::size_t at = 0;
    while (!is[at]) ++at;
    return at;
  }
  // Calls f(std::type_identity<P>()) for each policy, in order.
  template <class F>
  static constexpr void for_each(F&& f) {
    (f(std::type_identity<Policies>()), ...);
  }
};

// The order is that of the values of the hint argosy_policy, and of resolved_hints::policy_name.
using library_policies = policy_list<automatic, independent, sieving, two_phase, data_shipping>;

// True for the policies of the library. Their windows are not checked again.
template <class P>
inline constexpr bool keeps_rules = library_policies::has<P>;

}  // namespace detail

}  // namespace argosy
