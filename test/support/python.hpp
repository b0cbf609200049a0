// Scripts that ask Python's modules, where they are installed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <string>

namespace argosy::test {

// An interpreter that has the module: the first one of PATH, or the system's. Empty if there is none.
inline std::string python_with(std::string const& module) {
  for (char const* python : {"python3", "/usr/bin/python3"})
    if (std::system((std::string(python) + " -c 'import " + module + "' 2>/dev/null").c_str()) == 0) return python;
  return {};
}

}  // namespace argosy::test
