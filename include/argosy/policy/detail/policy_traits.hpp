// Facts about each policy of the library, in addition to its own members.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <argosy/policy/automatic.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/detail/library_policies.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::detail {

// `parts`: members that are structs, and whose members hints may set, too.
// `one_stretch_is_one_call`: a rank with separate access makes one file call for a contiguous
// range. A policy without traits does not compile.
template <class P>
struct policy_traits;

template <>
struct policy_traits<automatic> {
  static constexpr std::tuple parts{&automatic::two_phase, &automatic::sieving,
                                    &automatic::data_shipping, &automatic::exchange};
  static constexpr bool one_stretch_is_one_call = true;  // separate access sieves
};
template <>
struct policy_traits<independent> {
  static constexpr std::tuple parts{};
  static constexpr bool one_stretch_is_one_call = false;
};
template <>
struct policy_traits<sieving> {
  static constexpr std::tuple parts{&sieving::prices};
  static constexpr bool one_stretch_is_one_call = true;
};
template <>
struct policy_traits<two_phase> {
  static constexpr std::tuple parts{};
  static constexpr bool one_stretch_is_one_call = true;  // separate access sieves
};
template <>
struct policy_traits<data_shipping> {
  static constexpr std::tuple parts{};
  static constexpr bool one_stretch_is_one_call = true;  // if no agents serve
};

template <class T, class Member>
inline constexpr bool has_member = requires(T& t, Member m) { t.*m; };

// Returns true if the pointer is to a member of the policy, or of one of its parts.
template <class T, class Member>
constexpr bool sets_member_of(Member) noexcept {
  if constexpr (has_member<T, Member>) return true;
  if constexpr (requires { policy_traits<T>::parts; })
    return std::apply(
        [](auto... parts) {
          return (
              sets_member_of<std::remove_cvref_t<decltype(std::declval<T&>().*parts)>>(Member()) ||
              ...);
        },
        policy_traits<T>::parts);
  return false;
}

// A policy of the library, as data.
struct policy_facts {
  std::string_view name;
  bool is_of_all_ranks;
  bool one_stretch_is_one_call;
};

// The list as a table, in the same order.
inline constexpr auto policy_table = [] {
  std::array<policy_facts, library_policies::size> all{};
  library_policies::for_each([&]<class P>(std::type_identity<P>) {
    all[library_policies::place_of<P>()] = {P::name, collective_policy<P>,
                                            policy_traits<P>::one_stretch_is_one_call};
  });
  return all;
}();

}  // namespace argosy::detail
