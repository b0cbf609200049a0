// Text of collective plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/plan/collective_plan.hpp>

namespace argosy {
namespace detail {

inline std::string every(std::int64_t n) {
  std::int64_t const last = n % 100 / 10 == 1 ? 0 : n % 10;
  return n == 1 ? "every "
                : "every " + std::to_string(n) +
                      (last == 1   ? "st "
                       : last == 2 ? "nd "
                       : last == 3 ? "rd "
                                   : "th ");
}

}  // namespace detail

inline std::string to_string(collective_plan const& p) {
  std::string text = p.policy + (p.kind == access_kind::read ? " read: " : " write: ");
  if (!p.together)
    return text + "every rank by itself\n  " + p.reason.str() + "\n" +
           (p.alone ? "this rank: " + to_string(*p.alone) : std::string());
  bool const striped = !p.domains.empty() && p.domains.front().striped();
  text += detail::counted(static_cast<std::int64_t>(p.domains.size()),
                          striped ? "agent" : "aggregator") +
          ", " + detail::counted(p.rounds(), "round") + ", windows of " +
          detail::counted(p.window_bytes, "byte");
  if (striped)
    text += ", " + detail::every(p.domains.front().dealt_to) + "stripe of " +
            detail::counted(p.domains.front().stripe_bytes, "byte");
  if (p.layers > 1) text += ", messages from node to node";
  if (!p.overlap) text += ", exchange and file access by turns";
  text += "\n  " + p.reason.str() + "\n";
  text += "    rank        domain from              to        rounds\n";
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < p.domains.size(); ++i) {
    if (p.domains.size() > 2 * shown && i == shown) {
      text += "     ... " + std::to_string(p.domains.size() - 2 * shown) + " more\n";
      i = p.domains.size() - shown;
    }
    extend::file_domain const& d = p.domains[i];
    std::array<char, 120> line{};
    std::snprintf(line.data(), line.size(), "%8d  %16lld  %14lld  %12lld\n", d.rank,
                  static_cast<long long>(d.begin), static_cast<long long>(d.end),
                  static_cast<long long>(p.rounds_of(d)));
    text += line.data();
  }
  return text;
}

}  // namespace argosy
