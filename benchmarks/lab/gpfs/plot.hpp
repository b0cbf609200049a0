// A picture of an experiment: rates over numbers of ranks, a line for each setting.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "experiment.hpp"

namespace shapes {

// Returns an SVG with writes on the left and reads on the right. Both axes are logarithmic.
std::string plot(std::string const& experiment, std::string const& title,
                 std::vector<row> const& rows);

}  // namespace shapes
