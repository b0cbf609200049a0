// Arrays of rows that the programs with Zarr and HDF5 files write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/format/array_part.hpp>

namespace argosy::kills {

inline constexpr std::int64_t width = 6000;  // numbers in a row
inline constexpr std::int64_t most_steps = 12;
inline constexpr double round_step = 1e6;  // larger than every position

// Returns this rank's columns of the rows from `first` on, of an array of `rows` rows.
inline array_part columns(int rank, int ranks, std::int64_t first, std::int64_t count,
                          std::int64_t rows) {
  std::int64_t const low = width * rank / ranks, high = width * (rank + 1) / ranks;
  return subarray({rows, width}, {count, high - low}, {first, low}, type<double>);
}

// Returns values of these columns: the position in the row, and the round.
inline std::vector<double> values(int rank, int ranks, std::int64_t rows, std::int64_t round) {
  std::vector<double> all;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = width * rank / ranks; i < width * (rank + 1) / ranks; ++i)
      all.push_back(static_cast<double>(i) + round_step * static_cast<double>(round));
  return all;
}

}  // namespace argosy::kills
