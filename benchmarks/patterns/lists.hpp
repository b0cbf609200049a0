// Which patterns are measured, in which sizes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "implementation.hpp"
#include "pattern.hpp"

namespace patterns {

// How large the data of independent calls may be.
struct limits {
  std::int64_t bytes = 1 << 20;   // that a rank reads or writes
  std::int64_t pieces = 1 << 15;  // that a rank reads or writes
  std::int64_t span = 64 << 20;   // of the file
};
std::vector<std::unique_ptr<pattern>> independent_patterns(int ranks, limits const& most);

// And of files that ranks access together, without holes.
struct sizes {
  std::int64_t file = 64 << 20;  // about
  std::int64_t calls = 1 << 12;  // of a rank, where each piece is a call: the file is smaller there
  // of `segmented` and `strided`
  std::vector<std::int64_t> transfers = {256 << 10, 1 << 20, 4 << 20, 16 << 20};
};
struct collective_case {
  std::unique_ptr<pattern> what;
  level how;
};
std::vector<collective_case> collective_cases(int ranks, sizes const& s);

}  // namespace patterns
