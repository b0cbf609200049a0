// Plans as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/plan.hpp>

namespace argosy {
namespace detail {

inline std::string line_of(std::size_t number, window const& w) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "%8zu  %16lld  %12lld  %12lld  %10lld  %s\n", number,
                static_cast<long long>(w.offset), static_cast<long long>(w.length), static_cast<long long>(w.wanted),
                static_cast<long long>(w.pieces), std::string(name_of(w.how)).c_str());
  return text.data();
}

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

inline std::string to_string(plan const& p) {
  std::string text = p.policy + (p.kind == access_kind::read ? " read: " : " write: ") +
                     detail::counted(p.wanted(), "byte") + " in " +
                     detail::counted(static_cast<std::int64_t>(p.windows.size()), "window") + ", " +
                     detail::counted(p.file_calls(), "file call") + ", buffer " +
                     detail::counted(p.buffer_bytes, "byte") + "\n  " + p.reason + "\n";
  text += "  window            offset        length        wanted      pieces  how\n";
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < p.windows.size(); ++i) {
    if (p.windows.size() > 2 * shown && i == shown) {
      text += "     ... " + std::to_string(p.windows.size() - 2 * shown) + " more\n";
      i = p.windows.size() - shown;
    }
    text += detail::line_of(i, p.windows[i]);
  }
  return text;
}

inline std::string to_string(collective_plan const& p) {
  std::string text = p.policy + (p.kind == access_kind::read ? " read: " : " write: ");
  if (!p.together) return text + "every rank by itself\n  " + p.reason + "\n";
  bool const striped = !p.domains.empty() && p.domains.front().striped();
  text += detail::counted(static_cast<std::int64_t>(p.domains.size()), striped ? "agent" : "aggregator") + ", " +
          detail::counted(p.rounds(), "round") + ", windows of " + detail::counted(p.window_bytes, "byte");
  if (striped)
    text += ", " + detail::every(p.domains.front().dealt_to) + "stripe of " +
            detail::counted(p.domains.front().stripe_bytes, "byte");
  text += "\n  " + p.reason + "\n";
  text += "    rank        domain from              to        rounds\n";
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < p.domains.size(); ++i) {
    if (p.domains.size() > 2 * shown && i == shown) {
      text += "     ... " + std::to_string(p.domains.size() - 2 * shown) + " more\n";
      i = p.domains.size() - shown;
    }
    file_domain const& d = p.domains[i];
    std::array<char, 120> line{};
    std::snprintf(line.data(), line.size(), "%8d  %16lld  %14lld  %12lld\n", d.rank, static_cast<long long>(d.begin),
                  static_cast<long long>(d.end), static_cast<long long>(p.rounds_of(d)));
    text += line.data();
  }
  return text;
}

}  // namespace argosy
