// What the command line asks for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <argosy/file/hints.hpp>

#include "pattern.hpp"
#include "runner.hpp"

namespace patterns {

struct options {
  limits most;
  effort how;
  std::string filter;  // of names as `name_of` makes them
  std::vector<std::string> implementations = {"argosy", "mpi", "posix"};
  std::string csv;      // a file; empty: stdout
  argosy::hints hints;  // of argosy's files
  bool list = false, help = false, verbose = false;
  std::string wrong;  // what cannot be understood; empty: nothing
};

options parse(int argc, char** argv);
char const* usage();

// vector/8/0.5/read: what --pattern is looked for in.
std::string full_name(pattern const& p, operation op);

}  // namespace patterns
