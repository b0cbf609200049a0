// The grid of a Cartesian communicator of Boost.MPI. Opt-in: needs Boost.MPI. A communicator itself
// needs no header: io::file::open and io::mpi take it as it is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <vector>

#include <boost/mpi/cartesian_communicator.hpp>

#include <argosy/datatype/numbers.hpp>
#include <argosy/datatype/process_grid.hpp>

namespace argosy {

// Returns the grid of a Cartesian communicator: its dimensions, and which of them are periodic. A
// rank of the communicator has the same coordinates in the grid, also if MPI has reordered the
// ranks.
//   boost::mpi::cartesian_communicator const ranks(world, boost::mpi::cartesian_topology{{3, 2}});
//   io::darray<double, 2> tile({ny, nx}, block, io::grid_of(ranks), ranks.rank());
//   auto f = io::file::open(ranks, ...);
// Local. Throws std::invalid_argument for a communicator without ranks, which a rank outside of the
// grid has. Throws invalid_layout if the grid has no dimensions.
inline process_grid grid_of(boost::mpi::cartesian_communicator const& ranks) {
  if (!ranks)
    throw std::invalid_argument(
        "argosy::grid_of: this rank is not in the communicator; only its ranks have the grid");
  std::vector<int> sizes;
  std::vector<bool> periodic;
  ranks.topology().split(sizes, periodic);
  return process_grid(ranks.size(), numbers<>(sizes), periodic);
}

}  // namespace argosy
