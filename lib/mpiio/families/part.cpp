// Begins the work of a part: see part.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "part.hpp"

#include <dlfcn.h>

#include <mpi.h>

#include "../next.hpp"

namespace argosy::mpiio {
namespace {

front_services const* front = nullptr;

void const* object_with(void const* address) {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

}  // namespace

void* look_behind(char const* name) { return front->next(name); }

}  // namespace argosy::mpiio

extern "C" char const* argosy_mpiio_start(argosy::mpiio::front_services const* services) {
  using namespace argosy::mpiio;
  front = services;
  // A process may have several MPI libraries. The calls of this part must reach the one whose
  // family it was chosen for.
  auto const bound = reinterpret_cast<void const*>(&PMPI_Comm_rank);
  if (object_with(bound) == object_with(services->mpi_library)) return nullptr;
  return "another MPI library of this process stands before the one that the program has "
         "initialised";
}
