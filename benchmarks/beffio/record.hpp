// Runs as text for programs: CSV, which is read again, and JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "result.hpp"

namespace beffio {

// A line for each pattern; each line tells what run it is of, so that files may be put together.
std::string patterns_csv(std::vector<run_result> const& runs);
// A line for each value: of types, methods, partitions, and of the system.
std::string summary_csv(std::vector<run_result> const& runs);
// Both.
std::string json(std::vector<run_result> const& runs);

// From patterns_csv. Throws std::runtime_error with the number of a line that cannot be read.
std::vector<run_result> read_csv(std::istream& in);

}  // namespace beffio
