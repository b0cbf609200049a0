// independent: a call for each piece of the file. Nothing is read or written that was not asked for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <argosy/policy/policy.hpp>

namespace argosy {

struct independent {
  static constexpr std::string_view name = "independent";
  // Scattered memory is gathered in a buffer of this size; also the bytes of a window.
  std::int64_t buffer_bytes = 4 << 20;

  argosy::plan plan(access const& wanted) const {
    argosy::plan p{std::string(name), "asked for: one call per piece", wanted.kind, {}, buffer_bytes};
    for (std::int64_t at = wanted.position; at < wanted.end();) {
      std::int64_t const bytes = std::min(buffer_bytes, wanted.end() - at);
      p.windows.push_back(window_of(wanted.file, at, bytes));
      at += bytes;
    }
    return p;
  }
  friend bool operator==(independent const&, independent const&) = default;
};
static_assert(independent_policy<independent>);

}  // namespace argosy
