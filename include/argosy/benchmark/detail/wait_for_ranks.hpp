// Waits for all ranks at the end of a measurement, and ends the job if they cannot come.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <mpi.h>

#include <argosy/world/mpi.hpp>

namespace argosy::bench::detail {

// The time that a rank with an error waits for the others. They may wait for this rank in a
// collective call, and would wait for ever.
inline double patience_s = 120;

// Prints why, and ends the job. Local.
[[noreturn]] inline void end_job(mpi const& world, std::string const& why) {
  std::fprintf(stderr, "argosy: rank %d: %s\n", world.rank(), why.c_str());
  std::fflush(stderr);
  MPI_Abort(world.get(), EXIT_FAILURE);
  std::abort();
}

// Waits for all ranks of an MPI communicator. Collective. `error` is null if this rank has none.
inline void wait_for_ranks(mpi const& world, char const* error) {
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(world.get(), &all);
  if (error == nullptr) {
    MPI_Wait(&all, MPI_STATUS_IGNORE);
    return;
  }
  auto const start = std::chrono::steady_clock::now();
  for (int here = 0;;) {
    MPI_Test(&all, &here, MPI_STATUS_IGNORE);
    if (here) return;
    std::chrono::duration<double> const waited = std::chrono::steady_clock::now() - start;
    if (waited.count() > patience_s)
      end_job(world,
              "this rank failed in a benchmark, and others wait for it in a collective call: " +
                  std::string(error));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}
// Does nothing in other worlds: their reductions wait, and a virtual cluster reports a deadlock.
template <class World>
void wait_for_ranks(World const&, char const*) {}

inline constexpr char const* ranks_differ =
    "ranks run different benchmarks, or different numbers of iterations. Register the case with "
    "UseManualTime(), so that all ranks decide by the same time, and start all ranks with the same "
    "options";

[[noreturn]] inline void end_of_different_ranks(mpi const& world) { end_job(world, ranks_differ); }
template <class World>
[[noreturn]] void end_of_different_ranks(World const&) {
  throw std::logic_error(ranks_differ);
}

}  // namespace argosy::bench::detail
