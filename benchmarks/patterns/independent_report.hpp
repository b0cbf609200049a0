// Reports of local calls: CSV for programs, a table for people.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <vector>

#include "independent.hpp"

namespace patterns {

// One line for each implementation. mb_per_s is in units of 10^6 bytes, for all ranks together.
// Ratios above 1 mean that argosy is faster.
void print_csv_header(std::FILE* out);
void print_csv(std::FILE* out, row const& r);

// Prints argosy's ratios of every row, with the spread of its times, and geometric means. `verbose`
// adds argosy's reports.
void print_summary(std::FILE* out, std::vector<row> const& rows, bool verbose);

}  // namespace patterns
