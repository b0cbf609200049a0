// Reports of whole files: CSV for programs, a table for people, and the merging of two runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "collective.hpp"

namespace patterns {

// mb_per_s is in units of 10^6 bytes, for all ranks together. Ratios above 1 mean that argosy is
// faster. Unknown numbers are empty.
void print_collective_header(std::FILE* out);
void print_collective(std::FILE* out, std::vector<measured> const& lines);

// A run, and the MPI library in it.
struct named_run {
  std::string name;
  std::vector<measured> lines;
  std::vector<std::string> origin = {};  // empty in files of earlier versions
};
// Reads the output of print_origin() and print_collective(). Throws std::runtime_error if the file
// cannot be read, and std::invalid_argument with the number of a line that cannot be parsed.
named_run read_collective(std::string const& name, std::string const& path);
// Returns the origins of all runs, with their names.
std::vector<std::string> origins(std::vector<named_run> const& runs);

// Merges runs. The MPI library of a row becomes the faster one of all runs, by its ratio to argosy
// in the same run. argosy, own and limit stay those of that run. `mpi` is renamed to mpi:NAME.
std::vector<measured> merge(std::vector<named_run> const& runs);

// Prints argosy's ratios of every row, and geometric means. `verbose` adds argosy's reports.
void print_collective_summary(std::FILE* out, std::vector<measured> const& lines, bool verbose);

}  // namespace patterns
