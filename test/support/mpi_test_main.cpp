// The main of tests under mpiexec. Rank 0 reports, other ranks only if they fail. All ranks exit
// with the same code.
// SPDX-License-Identifier: BSD-3-Clause
#define CATCH_CONFIG_RUNNER  // for Catch2 2
#include "catch.hpp"
#include "leak_check.hpp"
#include "thread_level.hpp"

#include <mpi.h>

#include <iostream>
#include <sstream>
#include <string>

// The default, if the test defines none of its own.
[[gnu::weak]] bool argosy::test::calls_from_threads() { return false; }

int main(int argc, char** argv) {
  {
    [[maybe_unused]] argosy::test::ignored_leaks const during_init;
    int const wanted =
        argosy::test::calls_from_threads() ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
    int given = 0;
    MPI_Init_thread(&argc, &argv, wanted, &given);
  }
  int my_rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);

  std::ostringstream held_back;
  auto* const console = std::cout.rdbuf();
  if (my_rank != 0) std::cout.rdbuf(held_back.rdbuf());
  int const failures = Catch::Session().run(argc, argv);
  std::cout.rdbuf(console);

  if (my_rank != 0 && failures != 0) {
    // One write per rank, so that the reports of several ranks do not interleave.
    auto const rank = std::to_string(my_rank);
    std::cerr << "---- rank " + rank + " ----\n" + held_back.str() + "---- end of rank " + rank +
                     " ----\n";
  }
  int worst = 0;
  MPI_Allreduce(&failures, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  argosy::test::
      // Leaks are checked before parts of the MPI library are unloaded. The library's own leaks are
      // known by name only until then.
      check_leaks();
  MPI_Finalize();
  return worst == 0 ? 0 : 1;
}
