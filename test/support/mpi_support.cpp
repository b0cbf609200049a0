// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>

#include <functional>

TEST_CASE("the ranks of a test see each other", "[support]") {
  boost::mpi::communicator const world;
  CHECK(boost::mpi::all_reduce(world, 1, std::plus<>()) == world.size());
}
