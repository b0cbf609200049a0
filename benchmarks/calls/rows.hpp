// The calls that are measured.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cost.hpp"

namespace calls {

// Registers every row with Google Benchmark: kind/bytes, on all ranks, and on a file of each rank's
// own ("self").
void enter_all(setting const& how);

// Returns true if a call of argosy left wrong bytes. The call was printed to standard error.
bool wrong_bytes();

}  // namespace calls
