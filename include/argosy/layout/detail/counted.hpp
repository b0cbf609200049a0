// Returns a number with its noun: "1 piece", "2 pieces".
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace argosy::detail {

inline std::string counted(std::int64_t n, char const* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace argosy::detail
