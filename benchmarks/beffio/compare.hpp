// Compares two runs, cell by cell.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "result.hpp"

namespace beffio {

struct comparison {
  cell const* one;
  cell const* other;
  double ratio() const { return one->rate() / other->rate(); }
};

// Returns the patterns driven by time that both runs have measured, in the order of `one`. The
// results point into the runs.
std::vector<comparison> compared(run_result const& one, run_result const& other);
// Returns the mean of the ratios that are chosen, or nothing if there are none.
std::optional<double> geometric_mean(std::vector<comparison> const& all,
                                     std::optional<method> of = {}, std::optional<int> type = {});

}  // namespace beffio
