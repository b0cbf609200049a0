// Hints from text files, named by the environment variables ARGOSY_HINTS and ARGOSY_HINTS_OVERRIDE.
// Each line is `name value` or `name = value`. A comment begins with # at the start of a line or
// after a blank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <argosy/extend.hpp>
#include <argosy/file/hints.hpp>

namespace argosy {

namespace extend {

// Returns the hints of `text`; never fails because of the text. A line that cannot be read becomes
// a rejected hint that names the line. Local. `origin` names the text in messages.
hints parse_hints(std::string_view text, std::string_view origin);
// Returns the hints of a file. Local. If the file cannot be read, the result is one rejected hint,
// named by `variable`.
hints read_hints_file(std::string const& path, std::string_view variable = "ARGOSY_HINTS");

}  // namespace extend

namespace detail {

// Returns the hints of the file that ARGOSY_HINTS names; no hints if it is unset or empty. Local:
// every rank that calls this opens the file.
hints environment_hints();
// Returns the hints of the file that ARGOSY_HINTS_OVERRIDE names. They win over hints of the
// program and over policies that calls are given. Local.
hints overriding_hints();

}  // namespace detail

}  // namespace argosy
