// The main of tests under mpiexec: rank 0 reports, other ranks only when they fail, and all exit alike.
// SPDX-License-Identifier: BSD-3-Clause
#define CATCH_CONFIG_RUNNER  // for Catch2 2
#include "catch.hpp"
#include "leak_check.hpp"
#include "thread_level.hpp"

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <iostream>
#include <sstream>
#include <string>

// Where the test has none of its own.
[[gnu::weak]] bool argosy::test::calls_from_threads() { return false; }

int main(int argc, char** argv) {
  namespace mpi = boost::mpi;
  auto const environment = [&] {
    [[maybe_unused]] argosy::test::ignored_leaks const during_init;
    auto const level = argosy::test::calls_from_threads() ? mpi::threading::multiple : mpi::threading::funneled;
    return mpi::environment(argc, argv, level);
  }();
  mpi::communicator const world;

  std::ostringstream held_back;
  auto* const console = std::cout.rdbuf();
  if (world.rank() != 0) std::cout.rdbuf(held_back.rdbuf());
  int const failures = Catch::Session().run(argc, argv);
  std::cout.rdbuf(console);

  if (world.rank() != 0 && failures != 0) {
    // one write per rank, so that the reports of several ranks do not interleave
    auto const rank = std::to_string(world.rank());
    std::cerr << "---- rank " + rank + " ----\n" + held_back.str() + "---- end of rank " + rank + " ----\n";
  }
  int const worst = mpi::all_reduce(world, failures, mpi::maximum<int>());
  argosy::test::check_leaks();
  return worst == 0 ? 0 : 1;
}
