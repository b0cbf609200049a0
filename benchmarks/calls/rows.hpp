// The calls that are measured.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "contest.hpp"

namespace calls {

// Registers every row with Google Benchmark: kind/bytes, on all ranks, and on a file of each rank's
// own ("self").
void enter_all(setting const& how);

// Some call of argosy left other bytes than it should have; which one was told on standard error.
bool wrong_bytes();

}  // namespace calls
