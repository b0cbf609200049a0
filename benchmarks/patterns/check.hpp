// Checks that the patterns are right.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace patterns {

// Checks every pattern, for 1 to `most_ranks` ranks and small files. No byte belongs to two ranks,
// and in a file without gaps each byte belongs to one. Layouts and MPI datatypes have the same
// pieces as walk(). Returns the first violation, or an empty text.
std::string what_is_wrong(int most_ranks);

}  // namespace patterns
