// Reads the value of each hint. Private to lib/file/hints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "file/hints/table.hpp"

namespace argosy::detail {

// The result of reading a value.
struct hint_value {
  std::string text;   // the value in its usual form
  std::string fault;  // why the value is invalid; then `text` has no meaning
};

// Checks a value, and stores it in its member of `out`. `out` is changed only if there is no fault.
hint_value read_hint(hint_row const& row, std::string_view value, resolved_hints& out);

// Returns the text without white space at both ends.
std::string_view trimmed(std::string_view text) noexcept;

// Returns the text in lower case.
std::string lower(std::string_view text);

}  // namespace argosy::detail
