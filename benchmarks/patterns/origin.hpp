// Where numbers come from: what the lines before the header of a CSV say.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

namespace patterns {

// "version: argosy 0.1.0", "mpi: ...", "component: ompio", "host: ...", "ranks: 4", "options:
// --group collective ...". The component is that of files in this directory. Collective; only rank
// 0 gets lines.
std::vector<std::string> origin_of(MPI_Comm comm, std::string const& directory, int argc,
                                   char** argv);

// Comments, which most readers of CSV can skip: "# component: ompio".
constexpr std::string_view comment = "# ";
void print_origin(std::FILE* out, std::vector<std::string> const& origin);

}  // namespace patterns
