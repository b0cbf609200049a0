// The concept of an independent policy: a small regular value that makes a plan from an access of
// one rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <argosy/extend.hpp>
#include <argosy/plan/plan.hpp>
#include <argosy/plan/reason_text.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/detail/window_check.hpp>

namespace argosy {

namespace extend {

// A policy for one rank by itself. Its functions are pure: the same access gives the same windows.
// It sees layouts, never a file. Windows are requested one by one, so a call needs no memory for a
// list of them. The results of a policy of the program are checked: docs/use/extend.md has the
// rules.
template <class P>
concept independent_policy =
    std::regular<P> && requires(P const& policy, access const& wanted, std::int64_t position) {
      { P::name } -> std::convertible_to<std::string_view>;
      // Returns the window that begins at `position` of the view's stream. It has at least one
      // requested byte, and ends at or before the end of the access.
      { policy.next(wanted, position) } -> std::same_as<window>;
      // Returns the bytes of staging memory that the call needs, from 1 to 2^62. No merged window
      // is longer, and no gathered one has more bytes.
      { policy.buffer_for(wanted) } -> std::convertible_to<std::int64_t>;
      { policy.reason(wanted) } -> std::convertible_to<reason_text>;
    };

}  // namespace extend

namespace detail {

// Calls f(window) for each window of an access, in order. Throws invalid_plan if a policy of the
// program breaks the rules.
template <independent_policy P, class F>
constexpr void for_each_window(P const& policy, access const& wanted, F&& f) {
  std::optional<window_check> check;
  if (!keeps_rules<P> && wanted.bytes > 0)
    check.emplace(P::name, wanted, policy.buffer_for(wanted));
  for (std::int64_t at = wanted.position; at < wanted.end();) {
    window const w = policy.next(wanted, at);
    if (check) (*check)(w, at);
    f(w);
    at += w.wanted;
  }
}

}  // namespace detail

// Returns all windows at once, for printing and tests. Local. Throws invalid_plan if a policy of
// the program breaks the rules. Costs O(windows).
template <extend::independent_policy P>
plan make_plan(P const& policy, access const& wanted) {
  plan p{std::string(P::name),
         extend::reason_text(policy.reason(wanted)),
         wanted.kind,
         {},
         policy.buffer_for(wanted)};
  detail::for_each_window(policy, wanted, [&](extend::window const& w) { p.windows.push_back(w); });
  return p;
}

}  // namespace argosy
