// The pictures of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "result.hpp"

namespace beffio {

struct picture {
  std::string name;  // name of the file, without .svg
  std::string svg;
};

// Returns these pictures. For each run and partition: write, rewrite and read over the chunk, with
// a line for each type, and the share of time of each pattern. For each partition: a picture of
// each type with the methods of all runs, and all runs together, to compare sets of hints. Also
// b_eff_io over the number of ranks. `others` are earlier runs, which are dashed, and not drawn
// alone.
std::vector<picture> pictures(std::vector<run_result> const& runs,
                              std::vector<run_result> const& others);

}  // namespace beffio
