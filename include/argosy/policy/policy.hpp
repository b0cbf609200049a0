// The concept of an independent policy: a small regular value that turns an access of one rank into
// a plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <argosy/plan/plan.hpp>
#include <argosy/plan/reason_text.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/detail/window_check.hpp>

namespace argosy {

// Plans for one rank by itself. Pure: the same access gives the same windows; it sees layouts,
// never a file. Windows are asked for one by one, so a call needs no memory for a list of them.
// What a policy of the program returns is checked: docs/use/extend.md has the rules.
template <class P>
concept independent_policy =
    std::regular<P> && requires(P const& policy, access const& wanted, std::int64_t position) {
      { P::name } -> std::convertible_to<std::string_view>;
      // The window that begins at `position` of the view's stream, inside of the access.
      { policy.next(wanted, position) } -> std::same_as<window>;
      // Bytes of staging memory that the call needs.
      { policy.buffer_for(wanted) } -> std::convertible_to<std::int64_t>;
      { policy.reason(wanted) } -> std::convertible_to<reason_text>;
    };

// All windows at once, for printing and tests. O(windows). Throws invalid_plan if the policy breaks
// the rules.
template <independent_policy P>
plan make_plan(P const& policy, access const& wanted) {
  plan p{std::string(P::name),
         reason_text(policy.reason(wanted)),
         wanted.kind,
         {},
         policy.buffer_for(wanted)};
  std::optional<detail::window_check> check;
  if (!detail::keeps_rules<P> && wanted.bytes > 0) check.emplace(P::name, wanted, p.buffer_bytes);
  for (std::int64_t at = wanted.position; at < wanted.end();) {
    p.windows.push_back(policy.next(wanted, at));
    if (check) (*check)(p.windows.back(), at);
    at += p.windows.back().wanted;
  }
  return p;
}

}  // namespace argosy
