// The origin of numbers: the lines before the header of a CSV.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

namespace patterns {

// Returns "version: argosy 0.1.0", "mpi: ...", "component: ompio", "host: ...", "ranks: 4",
// "options: WORDS...". The component is that of files in this directory. Collective; only rank 0
// gets lines.
std::vector<std::string> origin_of(MPI_Comm comm, std::string const& directory,
                                   std::vector<std::string> const& words);

// Begins comments, which most parsers of CSV can skip: "# component: ompio".
constexpr std::string_view comment = "# ";
void print_origin(std::FILE* out, std::vector<std::string> const& origin);

}  // namespace patterns
