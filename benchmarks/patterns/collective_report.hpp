// Reports of whole files: CSV for machines, a table for people; and two runs made one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "collective.hpp"

namespace patterns {

// mb_per_s in units of 10^6 bytes, of all ranks together. Ratios above 1: faster. What is unknown
// is left empty.
void print_collective_header(std::FILE* out);
void print_collective(std::FILE* out, std::vector<measured> const& lines);

// A run, and what the MPI library used in it.
struct named_run {
  std::string name;
  std::vector<measured> lines;
  std::vector<std::string> origin = {};  // none in files of earlier versions
};
// Reads what print_collective() wrote behind print_origin(). Throws std::runtime_error if the file
// cannot be read, std::invalid_argument with the number of a line that cannot be understood.
named_run read_collective(std::string const& name, std::string const& path);
// Those of all runs, with their names.
std::vector<std::string> origins(std::vector<named_run> const& runs);

// The MPI library of a row becomes the faster one of all runs, by its ratio to argosy in the same
// run; argosy and the limit stay those of that run. `mpi` is renamed to mpi:NAME.
std::vector<measured> merge(std::vector<named_run> const& runs);

// argosy's ratios of every row, and geometric means; `verbose` adds what argosy did.
void print_collective_summary(std::FILE* out, std::vector<measured> const& lines, bool verbose);

}  // namespace patterns
