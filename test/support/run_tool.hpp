// Runs the command argosy inside of a test.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <tools/argosy/command.hpp>

namespace argosy::test {

struct tool_outcome {
  int code = -1;
  std::string out, err;
};
inline tool_outcome run_tool(std::vector<std::string> const& words) {
  std::ostringstream out, err;
  int const code = tool::run(words, out, err);
  return {code, out.str(), err.str()};
}

}  // namespace argosy::test
