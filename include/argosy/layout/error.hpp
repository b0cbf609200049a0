// The exception for a wrong description of data. The message names the datatype or layout, the
// number, and the remedy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace argosy {

class invalid_layout : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace argosy
