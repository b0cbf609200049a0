// Hints from a text file, named by the environment variable ARGOSY_HINTS: a line `name value` each, comments from # on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <argosy/file/hints.hpp>

namespace argosy {

// Lines that cannot be read become rejected hints with their line number; nothing here fails. `origin` names the text.
hints parse_hints(std::string_view text, std::string_view origin);
// A file that cannot be read is one rejected hint named ARGOSY_HINTS.
hints read_hints_file(std::string const& path);
// The file that ARGOSY_HINTS names; no hints where it is unset or empty. Local: every rank that calls it opens the file.
hints environment_hints();

}  // namespace argosy
