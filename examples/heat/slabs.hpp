// The cube in slabs along its first index, one for each rank, and the exchange of their outermost
// layers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/datatype.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/nonblocking.hpp>

#include <algorithm>
#include <cstdint>

#include "heat.hpp"

namespace io = argosy;

// [heat_slab]
inline field slab_of(boost::mpi::communicator const& world) {
  // deals the cube as io::distribute::block does
  std::int64_t const most = (side + world.size() - 1) / world.size();
  std::int64_t const first = std::min(most * world.rank(), side);
  return {{std::min(most, side - first), side, side}, {first, 0, 0}};
}
inline io::darray<double, 3> tile_of(boost::mpi::communicator const& world) {
  return {{side, side, side}, io::distribute::block, {world.size(), 1, 1}, world.rank()};
}
// [heat_slab]

// Copies the outermost layers of the neighbours into the halo. Ranks without points are the last
// ones, and do not take part.
inline void exchange(boost::mpi::communicator const& world, field& u) {
  int const layer = static_cast<int>(u.stride(0));
  bool const low = u.start[0] > 0 && u.size[0] > 0,
             high = u.size[0] > 0 && u.start[0] + u.size[0] < side;
  boost::mpi::request all[4];
  auto* end = all;
  if (low) {
    *end++ = world.irecv(world.rank() - 1, 0, &u(-1, -1, -1), layer);
    *end++ = world.isend(world.rank() - 1, 1, &u(0, -1, -1), layer);
  }
  if (high) {
    *end++ = world.irecv(world.rank() + 1, 1, &u(u.size[0], -1, -1), layer);
    *end++ = world.isend(world.rank() + 1, 0, &u(u.size[0] - 1, -1, -1), layer);
  }
  boost::mpi::wait_all(all, end);
}
