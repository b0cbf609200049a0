// A world of a communicator of Boost.MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/graph_communicator.hpp>

#include <type_traits>

#include <argosy/world/mpi.hpp>

#include "support/catch.hpp"
#include "support/share_cases.hpp"
#include "support/world_cases.hpp"

namespace io = argosy;

static_assert(std::is_convertible_v<boost::mpi::communicator, io::mpi>);
static_assert(std::is_convertible_v<boost::mpi::graph_communicator, io::mpi>);

TEST_CASE("a communicator of Boost is a world, and lives as long as that", "[world][boost]") {
  boost::mpi::communicator const boost_world;
  io::mpi const a = boost_world;
  CHECK(a.get() == MPI_COMM_WORLD);
  CHECK(a.rank() == boost_world.rank());
  CHECK(a.size() == boost_world.size());
  auto const kept = [] {
    boost::mpi::communicator const own(MPI_COMM_WORLD, boost::mpi::comm_duplicate);
    return io::mpi(own);
  }();
  argosy::test::check_sums(kept);
  argosy::test::check_shares(a.rank(), a.size(),
                             [&](auto n) { return io::share_of(boost_world, n); });
  CHECK(kept.get() != MPI_COMM_WORLD);
}
