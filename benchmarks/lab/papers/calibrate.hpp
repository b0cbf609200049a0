// Fits the calibrated parameters of a machine to the rows that may be fitted, and says how well
// they are known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure.hpp"

namespace papers {

struct fitted {
  std::string name;
  double before = 0, value = 0;
  double relative_error = 0;  // of the value: its standard deviation
};
struct fit {
  std::vector<fitted> parameters;
  std::vector<std::vector<double>> covariance;  // of logarithms
  double badness_before = 0, badness = 0;
  int rows = 0;
};

// Least squares of ln(simulated / published) over max(3 %, the published deviation of the mean),
// and of ln(p / p0) over ln 1.5, where p0 is the value in the file; by steps of Gauss and Newton in
// logarithms, within the intervals. Throws std::invalid_argument if there is more than one
// parameter for 1.5 rows, or nothing to fit. The machine in the laboratory has the fitted values
// afterwards; files are not changed. `tell` hears of each step.
fit calibrate(laboratory& lab, std::string const& machine, std::vector<row> const& rows,
              std::function<void(std::string const&)> const& tell);

}  // namespace papers
