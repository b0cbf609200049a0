// Runs as text for programs: CSV, which can be read again, and JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "result.hpp"

namespace beffio {

// Returns a line for each pattern. Each line names its run, so that files may be concatenated.
std::string patterns_csv(std::vector<run_result> const& runs);
// Returns a line for each value: of types, methods, partitions, and of the system.
std::string summary_csv(std::vector<run_result> const& runs);
// Returns the patterns and the values.
std::string json(std::vector<run_result> const& runs);

// Reads the text of patterns_csv(). Throws std::invalid_argument with the file and the number of a
// line that cannot be parsed.
std::vector<run_result> read_csv(std::string const& file, std::string_view text);

}  // namespace beffio
