// The options of the command line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <argosy/file/hints.hpp>

#include "../support/options.hpp"
#include "lists.hpp"
#include "pattern.hpp"
#include "trial.hpp"

namespace patterns {

struct options {
  bool collective = false;  // the collective group of rows; otherwise the independent one
  limits most;
  sizes files;
  effort how;
  std::vector<std::string> implementations;  // empty: all of the group
  std::string csv;                           // a file; empty: none
  argosy::hints hints;                       // for argosy's files
  bool verbose = false, check = false;
  std::vector<std::pair<std::string, std::string>> merged;  // name and file
};

extern bench::program const usage;
// Parses the arguments. Throws usage_error.
options options_from(bench::arguments const& given);

// Returns the name of a case: vector/8/0.5/read, dist3d/3.
std::string full_name(pattern const& p, operation op);
std::string full_name(collective_case const& c);

}  // namespace patterns
