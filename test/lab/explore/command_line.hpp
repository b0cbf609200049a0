// Reads numbers from the command lines of explore's programs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace argosy::explore {

inline std::uint64_t whole_number(std::string const& text) {
  std::size_t end = 0;
  std::uint64_t const n = text.empty() || text[0] == '-' ? 0 : std::stoull(text, &end);
  if (end == 0 || end != text.size()) throw std::invalid_argument("'" + text + "' is not a number");
  return n;
}

}  // namespace argosy::explore
