// Files of results, and a line of the terminal that shows the progress.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace bench {

// Returns the text. Throws std::runtime_error if the file cannot be read.
std::string text_of_file(std::string const& path);
// Replaces the file as a whole; until then the old one stays. Returns false, with a sentence on
// standard error, if that fails.
bool put(std::string const& path, std::string const& text);
// Writes NAME.svg into a directory, which is made. If the picture is empty, no file is written.
bool put_picture(std::string const& directory, std::string const& name, std::string const& svg);
// Returns the path with `more` before its suffix: "results.csv", "_summary" give
// "results_summary.csv".
std::string beside(std::string const& path, std::string const& more);

// Shows a line at the end of standard error, if that is a terminal. An empty text removes the line.
void say(std::string const& line);

}  // namespace bench
