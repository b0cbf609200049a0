// Cells of a 3-D array, one or several for each rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <mpi.h>

#include <argosy/benchmark/patterns/pattern.hpp>

namespace argosy::bench {

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
std::unique_ptr<pattern> make_pattern(cells c);

// Returns the grid for a number of ranks. A block grid cuts the fastest dimension first, so that
// even a few ranks interleave.
box block_grid(int ranks);
box multipartition_grid(int ranks);

namespace detail {

constexpr box times(box a, box const& b) { return {a[0] * b[0], a[1] * b[1], a[2] * b[2]}; }

}  // namespace detail

}  // namespace argosy::bench

#include <argosy/benchmark/detail/cells_pattern.hpp>
