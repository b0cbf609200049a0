// Runs scripts that need Python modules, if these are installed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <string>

namespace argosy::test {

// Returns an interpreter that has the module: the first one of PATH, the system's, or `more`. Empty
// if there is none.
inline std::string python_with(std::string const& module, std::string const& more = {}) {
  for (std::string const& python : {std::string("python3"), std::string("/usr/bin/python3"), more})
    if (!python.empty() &&
        std::system((python + " -c 'import " + module + "' 2>/dev/null").c_str()) == 0)
      return python;
  return {};
}

}  // namespace argosy::test
