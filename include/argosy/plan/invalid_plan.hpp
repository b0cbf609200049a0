// The exception of a policy that breaks the rules of plans. The message names the policy, the
// window or domain, and the numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace argosy {

// Calls of a file report it as errc::argument.
class invalid_plan : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace argosy
