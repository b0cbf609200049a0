// The shapes of patterns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "pattern.hpp"

namespace patterns {

// Pieces of one length at equal distances, dense in memory. Piece i of a rank begins at rank *
// rank_stride + i * stride.
struct dealt {
  std::string name;
  int ranks = 1;
  std::int64_t piece = 0, count = 0, rank_stride = 0, stride = 0;
  double density = 1;
};
std::unique_ptr<pattern> make(dealt d);

// Slots of one length, dealt to the ranks at random (equal in every run), equally many to each;
// dense in memory.
struct shuffled {
  std::string name;
  int ranks = 1;
  std::int64_t piece = 0, count = 0;  // `count`: slots of a rank
};
std::unique_ptr<pattern> make(shuffled s);

// The slowest dimension first.
using box = std::array<std::int64_t, 3>;

enum class ownership {
  block,  // a cell for each rank, on a grid of ranks
  // like NAS BTIO: layers with one cell of each rank, moved along the diagonal from layer to
  // layer.
  multipartition
};

// Cells of a 3-D array of items of some doubles. Each cell is separate in memory, dense or with a
// halo around it.
struct cells {
  std::string name;
  int ranks = 1;
  box part{};         // size of a cell, in items
  box grid{1, 1, 1};  // in cells: block_grid or multipartition_grid
  box whole{};        // size of the array, in items: grid * part, or more
  int doubles = 1;    // in an item
  int halo = 0;       // around a cell in memory, in items
  ownership owners = ownership::block;
  // The order in which dimensions are described; the places of the bytes do not depend on it.
  int order = MPI_ORDER_C;
};
std::unique_ptr<pattern> make(cells c);

// Returns the grid for a number of ranks. A block grid cuts the fastest dimension first, so that
// even a few ranks interleave.
box block_grid(int ranks);
box multipartition_grid(int ranks);
constexpr box times(box a, box const& b) { return {a[0] * b[0], a[1] * b[1], a[2] * b[2]}; }

}  // namespace patterns
