// Are the patterns what they say?
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace patterns {

// Of every pattern, for 1 to `most_ranks` ranks and small files: no byte belongs to two ranks, and
// in a file without holes each belongs to one; layouts and MPI datatypes name the same pieces as
// walk() does. The first that does not hold; empty: everything does.
std::string what_is_wrong(int most_ranks);

}  // namespace patterns
