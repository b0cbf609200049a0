// independent: one file call for each piece. No byte is read or written that was not requested.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <argosy/policy/policy.hpp>

namespace argosy {

struct independent {
  static constexpr std::string_view name = "independent";
  // Scattered memory is gathered in a buffer of this size, which is also the size of a window.
  std::int64_t buffer_bytes = 4 << 20;

  constexpr extend::window next(access const& wanted, std::int64_t position) const {
    return extend::window_of(wanted, position, std::min(least_one(), wanted.end() - position));
  }
  constexpr std::int64_t buffer_for(access const& wanted) const {
    return std::min(least_one(), wanted.bytes);
  }
  constexpr extend::reason_text reason(access const&) const { return "one call per piece"; }
  friend constexpr bool operator==(independent const&, independent const&) = default;

 private:
  constexpr std::int64_t least_one() const { return std::max<std::int64_t>(1, buffer_bytes); }
};
static_assert(extend::independent_policy<independent>);

}  // namespace argosy
