// Shared by tests of ARGOSY_REPORT: the environment variable, and the rows of the report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/file.hpp>

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace argosy::test {

inline mpi everyone() { return mpi(MPI_COMM_WORLD); }
inline constexpr mode making = mode::create | mode::read_write;

// Sets the environment variable of this rank while it lives.
struct asked {
  explicit asked(std::string const& to, bool here = true) {
    if (here) ::setenv("ARGOSY_REPORT", to.c_str(), 1);
  }
  ~asked() { ::unsetenv("ARGOSY_REPORT"); }
};

// Returns the report on rank 0, and nothing on other ranks.
inline std::string written(mpi const& world, std::string const& path) {
  world.barrier();
  if (world.rank() != 0) return {};
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}
// Returns the least, mean and most, the bytes and the file calls of a row; empty if there is no
// such row.
inline std::vector<std::int64_t> row(std::string const& text, std::string const& name) {
  std::smatch found;
  std::regex const line("\n  " + name +
                        " +([0-9]+) +([0-9]+)(?:[.][0-9])? +([0-9]+) +([0-9]+) +([0-9]+)");
  std::vector<std::int64_t> numbers;
  if (std::regex_search(text, found, line))
    for (std::size_t i = 1; i < found.size(); ++i) numbers.push_back(std::stoll(found[i]));
  return numbers;
}

}  // namespace argosy::test
