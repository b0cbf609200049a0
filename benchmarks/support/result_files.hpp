// Files of results, and the line of a terminal that says what is under way.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace bench {

// Throws std::runtime_error if it cannot be read.
std::string text_of_file(std::string const& path);
// Writes the whole file: until then the old one stays. Returns false, with a sentence on standard
// error, if that fails.
bool put(std::string const& path, std::string const& text);
// Writes NAME.svg into a directory, which is made. An empty picture is no file.
bool put_picture(std::string const& directory, std::string const& name, std::string const& svg);
// "results.csv", "_summary": "results_summary.csv"
std::string beside(std::string const& path, std::string const& more);

// Shows the last line of standard error, if that is a terminal. Empty: no line.
void say(std::string const& line);

}  // namespace bench
