// A policy as a constant: io::constant<io::two_phase{.window_bytes = 1 << 20}>.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include <argosy/extend.hpp>
#include <argosy/layout/number.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/policy.hpp>

namespace argosy {

namespace detail {

template <class P>
concept some_policy = independent_policy<P> || collective_policy<P>;

}  // namespace detail

namespace extend {

// The type of such a constant. A call that is given one allocates nothing for it, and its numbers
// are constants for the compiler. All members of the policy must be public.
template <auto Policy>
struct fixed_policy {
  static constexpr auto value = Policy;
};

}  // namespace extend

namespace detail {

template <auto Policy>
  requires some_policy<std::remove_cvref_t<decltype(Policy)>>
struct type_of_constant<Policy> {
  using type = fixed_policy<Policy>;
};

}  // namespace detail

}  // namespace argosy
