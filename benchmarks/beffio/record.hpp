// Runs as text for programs: CSV, which is read again, and JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "result.hpp"

namespace beffio {

// A line for each pattern; each line tells what run it is of, so that files may be put together.
std::string patterns_csv(std::vector<run_result> const& runs);
// A line for each value: of types, methods, partitions, and of the system.
std::string summary_csv(std::vector<run_result> const& runs);
// Both.
std::string json(std::vector<run_result> const& runs);

// Reads what patterns_csv() wrote. Throws std::invalid_argument with the file and the number of a
// line that cannot be read.
std::vector<run_result> read_csv(std::string const& file, std::string_view text);

}  // namespace beffio
