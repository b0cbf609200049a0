// Runs a program on processes, under MPI, and checks everything.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <argosy/world/mpi.hpp>

#include "remote_place.hpp"
#include "run.hpp"

namespace argosy::explore {

using namespace extend;

struct ground {
  mpi world;
  meeting_place& place;   // the meeting place of all its ranks
  std::string directory;  // empty before and after, and used by this test alone
  // called with the step (-1: between steps) and the call of this rank
  std::function<void(int step, char const* call)> began = [](int, char const*) {};
};

struct process_verdict : verdict {
  std::int64_t struck = 0;  // system calls of all ranks that faults struck
};

// Runs the program, which may have fewer ranks than the world. Collective. Returns the same on all
// ranks.
process_verdict verdict_on_processes(program const& p, ground const& g, changes const& c = {});

}  // namespace argosy::explore
