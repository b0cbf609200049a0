// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

TEST_CASE("the ranks of a test see each other", "[support]") {
  int ranks = 0, met = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(MPI_IN_PLACE, &met, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(met == ranks);
}
