// Hints from text files, named by the environment variables ARGOSY_HINTS and ARGOSY_HINTS_OVERRIDE:
// a line `name value` each, comments from # on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <argosy/file/hints.hpp>

namespace argosy {

// Lines that cannot be read become rejected hints with their line number; nothing here fails.
// `origin` names the text.
hints parse_hints(std::string_view text, std::string_view origin);
// A file that cannot be read is one rejected hint named ARGOSY_HINTS, or as `variable` says.
hints read_hints_file(std::string const& path, std::string_view variable = "ARGOSY_HINTS");

namespace detail {

// The file that ARGOSY_HINTS names; no hints where it is unset or empty. Local: every rank that
// calls it opens the file.
hints environment_hints();
// The file that ARGOSY_HINTS_OVERRIDE names: its hints win over those of the program, and over the
// policies that it gives.
hints overriding_hints();

}  // namespace detail

}  // namespace argosy
