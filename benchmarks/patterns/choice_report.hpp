// Reports whether argosy chose the faster of its policies, from rows that ran with and without a
// named policy, in the same rounds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <vector>

#include "collective.hpp"

namespace patterns {

// Prints a line for each collective row that ran as argosy and as two or more argosy:POLICY. The
// line has the policy that argosy chose, the fastest policy, and the ratio of their times when
// named. argosy's own time stands in the same line. Then prints how many choices were right. Prints
// nothing if there are no such rows.
void print_choices(std::FILE* out, std::vector<measured> const& lines);

}  // namespace patterns
