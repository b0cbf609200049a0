// The texts of errors about layouts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/linked.hpp>
#include <argosy/layout/error.hpp>

namespace argosy::detail {

[[noreturn]] ARGOSY_ONCE void throw_overflow(char const* text) { throw invalid_layout(text); }

[[noreturn]] ARGOSY_ONCE void throw_too_wide(char const* text, std::int64_t low,
                                             std::int64_t high) {
  throw invalid_layout(std::string(text) + " (it reaches from " + std::to_string(low) + " to " +
                       std::to_string(high) + ")");
}

[[noreturn]] ARGOSY_ONCE void throw_negative(char const* where, char const* what,
                                             std::int64_t value) {
  throw invalid_layout("argosy::" + std::string(where) + ": " + what + " is " +
                       std::to_string(value) + "; it must not be negative");
}

[[noreturn]] ARGOSY_ONCE void throw_sizes_of_table(std::size_t offsets, std::size_t lengths) {
  throw invalid_layout("argosy::table: " + std::to_string(offsets) + " offsets but " +
                       std::to_string(lengths) + " lengths; give one length for each offset");
}

}  // namespace argosy::detail
