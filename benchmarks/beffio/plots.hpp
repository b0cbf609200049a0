// The pictures of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "result.hpp"

namespace beffio {

struct picture {
  std::string name;  // of a file, without .svg
  std::string svg;
};

// For each run and partition: write, rewrite and read over the chunk, a line for each type; and
// what share of the time each pattern took. For each partition: a picture of each type, with the
// methods of all runs, and all runs side by side, which is how sets of hints are compared. b_eff_io
// over the number of ranks. `others` were run earlier: dashed, and not alone.
std::vector<picture> pictures(std::vector<run_result> const& runs,
                              std::vector<run_result> const& others);

}  // namespace beffio
