// What a policy is: a small regular value that turns an access into a plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <string_view>

#include <argosy/plan/plan.hpp>
#include <argosy/policy/access.hpp>

namespace argosy {

// For one rank by itself. plan() is pure: the same access, the same plan; it sees layouts, never a file.
template <class P>
concept independent_policy = std::regular<P> && requires(P const& policy, access const& wanted) {
  { P::name } -> std::convertible_to<std::string_view>;
  { policy.plan(wanted) } -> std::same_as<argosy::plan>;
};

}  // namespace argosy
