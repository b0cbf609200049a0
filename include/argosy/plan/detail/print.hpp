// Text of plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/plan/plan.hpp>

namespace argosy {
namespace detail {

inline std::string line_of(std::size_t number, window const& w) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "%8zu  %16lld  %12lld  %12lld  %10lld  %s\n", number,
                static_cast<long long>(w.offset), static_cast<long long>(w.length),
                static_cast<long long>(w.wanted), static_cast<long long>(w.pieces),
                std::string(name_of(w.how)).c_str());
  return text.data();
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

}  // namespace argosy
