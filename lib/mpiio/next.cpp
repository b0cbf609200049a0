// Implements next.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "next.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace argosy::mpiio {
namespace {

bool wants_the_mpi_library() {
  char const* const said = std::getenv("ARGOSY_MPIIO");
  if (said == nullptr || *said == '\0') return false;
  std::string_view const what = said;
  if (what != "off" && what != "on") std::fprintf(stderr, "argosy: ARGOSY_MPIIO=%s: give off or on; it is on\n", said);
  return what == "off";
}

}  // namespace

bool const is_off = wants_the_mpi_library();

void* next_symbol(char const* name) {
  if (void* const found = ::dlsym(RTLD_NEXT, name)) return found;
  std::fprintf(stderr, "argosy: the MPI library has no %s\n", name);
  std::abort();
}

}  // namespace argosy::mpiio
