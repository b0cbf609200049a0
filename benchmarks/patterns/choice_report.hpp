// Whether argosy chose the faster of its policies: rows that ran with and without naming one, in
// the same rounds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <vector>

#include "collective.hpp"

namespace patterns {

// Of each collective row that ran as argosy and as two or more argosy:POLICY: which of them argosy
// chose, which was the fastest, and how many times as long the chosen one took, both by name; that
// argosy did the same is in its own time beside them. Then how many choices were right. Nothing
// without such rows.
void print_choices(std::FILE* out, std::vector<measured> const& lines);

}  // namespace patterns
