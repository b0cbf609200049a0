// Runs a program on processes, under MPI, and looks whether everything is as it must be.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <argosy/world/mpi.hpp>

#include "remote_place.hpp"
#include "run.hpp"

namespace argosy::explore {

struct ground {
  mpi world;
  meeting_place& place;   // of all its ranks
  std::string directory;  // empty, and of this test alone; it is empty afterwards
  // Told where this rank is, by step (-1: between steps) and call.
  std::function<void(int step, char const* call)> began = [](int, char const*) {};
};

struct process_verdict : verdict {
  std::int64_t struck = 0;  // system calls of all ranks, by faults
};

// Collective; the same on all ranks. The program may have fewer ranks than the world.
process_verdict verdict_on_processes(program const& p, ground const& g, changes const& c = {});

}  // namespace argosy::explore
