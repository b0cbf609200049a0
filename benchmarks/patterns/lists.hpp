// The patterns that are measured, and their sizes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "implementation.hpp"
#include "pattern.hpp"

namespace patterns {

// The limits of the data of local calls.
struct limits {
  std::int64_t bytes = 1 << 20;   // read or written by a rank
  std::int64_t pieces = 1 << 15;  // read or written by a rank
  std::int64_t span = 64 << 20;   // bytes of the file
};
std::vector<std::unique_ptr<pattern>> independent_patterns(int ranks, limits const& most);

// The sizes of files that ranks access together, without gaps.
struct sizes {
  std::int64_t file = 64 << 20;  // approximately
  std::int64_t calls =
      1 << 12;  // For each rank, if each piece is a call: then the file is smaller.
  // For `segmented` and `strided`.
  std::vector<std::int64_t> transfers = {256 << 10, 1 << 20, 4 << 20, 16 << 20};
};
struct collective_case {
  std::unique_ptr<pattern> what;
  level how;
};
std::vector<collective_case> collective_cases(int ranks, sizes const& s);

}  // namespace patterns
