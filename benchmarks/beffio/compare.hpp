// Two runs, cell by cell.
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

// The patterns with time of their own that both have measured, in the order of `one`. They point
// into the runs.
std::vector<comparison> compared(run_result const& one, run_result const& other);
// Of some of their ratios. Nothing of none.
std::optional<double> geometric_mean(std::vector<comparison> const& all,
                                     std::optional<method> of = {}, std::optional<int> type = {});

}  // namespace beffio
