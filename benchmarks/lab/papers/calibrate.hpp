// Fits the calibrated parameters of a machine to the rows of the role `calibrate`, and computes
// their errors.
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
  double relative_error = 0;  // standard deviation, relative to the value
};
struct fit {
  std::vector<fitted> parameters;
  std::vector<std::vector<double>> covariance;  // covariance of logarithms
  double badness_before = 0, badness = 0;
  int rows = 0;
};

// Fits by least squares. The terms are ln(simulated / published) over max(3 %, the published
// deviation of the mean), and ln(p / p0) over ln 1.5, where p0 is the value in the file. The steps
// are those of Gauss and Newton in logarithms, within the intervals. Throws std::invalid_argument
// if there is more than one parameter for 1.5 rows, or nothing to fit. Afterwards the machine in
// the laboratory has the fitted values; files are not changed. `tell` is called at each step.
fit calibrate(laboratory& lab, std::string const& machine, std::vector<row> const& rows,
              std::function<void(std::string const&)> const& tell);

}  // namespace papers
