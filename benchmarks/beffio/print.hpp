// Reports for people.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "result.hpp"

namespace beffio {

// Returns "1 MiB", "32 KiB + 8", "1 032".
std::string chunk_text(std::int64_t bytes);
std::string duration_text(double seconds);
std::string bytes_text(double bytes);

// Returns the results of a run: a table for each partition, averages, b_eff_io, whether it may be
// compared, and hints. `cache`: bytes.
std::string report_text(run_result const& r, std::int64_t cache);
// Returns how many times as fast `one` is as `other`, in the same tables.
std::string comparison_text(run_result const& one, run_result const& other,
                            std::string const& names);

}  // namespace beffio
