// The front of the drop-in: MPI's functions, which forward to the part for the MPI library of the
// process. A process that calls none of them is left alone, and nothing is loaded.
//
// A function of MPI that the drop-in has takes at most six arguments. Each is an integer or a
// pointer, so each is in one register, whatever the mpi.h of the program says of its type. So one
// kind of function, of six words, forwards all of them. A function that takes fewer arguments
// ignores the rest.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "functions.hpp"
#include "mapped_mpi.hpp"
#include "part.hpp"

namespace argosy::mpiio {
namespace {

using word = std::intptr_t;
using function = word(word, word, word, word, word, word);
static_assert(sizeof(word) == 8, "arguments of 64 bits must fit into one register");

// --- The part ---

mapped_mpi the_mpi;
void* the_part = nullptr;  // null if calls go to the MPI library

// Returns the next function of that name behind the front, of a tool or the MPI library, or null.
void* next(char const* name) {
  void* const found = ::dlsym(RTLD_NEXT, name);
  if (found || !the_mpi.library) return found;
  return ::dlsym(the_mpi.library, name);
}

constinit front_services services{&next, nullptr};

char const* file_of(family f) {
  switch (f) {
    case family::openmpi:
      return "openmpi.so";
    case family::mpich:
      return "mpich.so";
    case family::standard:
      return "standard.so";
    case family::none:
    case family::unknown:
      break;
  }
  return nullptr;
}

// Writes the path of the part into `path`, and returns true if the file is there. It lies in
// argosy-mpiio, a folder in that of the front. The front may have been loaded by a relative path,
// or by a link from another folder.
bool find_file(char const* name, char (&path)[PATH_MAX + 64]) {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<void const*>(&services), &self) == 0) return false;
  char folder[PATH_MAX] = "";
  if (void* const me = ::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
    ::dlinfo(me, RTLD_DI_ORIGIN, folder);  // absolute, since the front was loaded
    ::dlclose(me);
  }
  std::snprintf(path, sizeof path, "%s/argosy-mpiio/%s", folder, name);
  if (::access(path, R_OK) == 0) return true;
  if (!::realpath(self.dli_fname, folder)) return false;
  if (char* const slash = std::strrchr(folder, '/')) *slash = '\0';
  std::snprintf(path, sizeof path, "%s/argosy-mpiio/%s", folder, name);
  return ::access(path, R_OK) == 0;
}

void say(char const* what, char const* why) {
  std::fprintf(stderr, "argosy: %s: %s. The MPI library's own I/O is used\n", what, why);
}

bool wants_the_mpi_library() {
  char const* const said = std::getenv("ARGOSY_MPIIO");
  return said && std::strcmp(said, "off") == 0;
}

// Loads the part for the MPI library of this process.
void load_part() {
  the_mpi = find_mapped_mpi();
  services.mpi_library = the_mpi.inside;
  if (the_mpi.of == family::none || wants_the_mpi_library()) return;
  char const* const name = file_of(the_mpi.of);
  if (!name) return say("this MPI library", "it is of no family that this drop-in knows");
  char path[PATH_MAX + 64];
  if (!find_file(name, path)) return say(path, "the part for this MPI library is not there");
  // Lazily, because an older library of the family does not have all functions.
  void* const part = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!part) return say(path, ::dlerror());
  auto* const start = reinterpret_cast<start_part*>(::dlsym(part, "argosy_mpiio_start"));
  if (!start) return say(path, "it is not a part of this drop-in");
  if (char const* const why = start(&services)) return say(path, why);
  the_part = part;
}

// --- Forwarding ---

// Finds where calls of a function go, at its first call.
function* find(char const* name) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool is_loaded = false;
  ::pthread_mutex_lock(&mutex);
  if (!is_loaded) {
    load_part();
    // An MPI library may be loaded later.
    is_loaded = the_mpi.of != family::none;
  }
  void* to = the_part ? ::dlsym(the_part, name) : nullptr;
  if (!to) to = next(name);
  ::pthread_mutex_unlock(&mutex);
  if (to) return reinterpret_cast<function*>(to);
  std::fprintf(stderr, "argosy: there is no MPI library with %s in this process\n", name);
  std::abort();
}

}  // namespace
}  // namespace argosy::mpiio

// Defines a function that calls `target`, which is at first a function that finds the target.
#define ARGOSY_MPIIO_FORWARD(name)                                                            \
  namespace argosy::mpiio {                                                                   \
  namespace {                                                                                 \
  word first_##name(word, word, word, word, word, word);                                      \
  constinit std::atomic<function*> target_of_##name{&first_##name};                           \
  word first_##name(word a, word b, word c, word d, word e, word f) {                         \
    function* const found = find(#name);                                                      \
    target_of_##name.store(found, std::memory_order_release);                                 \
    return found(a, b, c, d, e, f);                                                           \
  }                                                                                           \
  }                                                                                           \
  }                                                                                           \
  extern "C" argosy::mpiio::word name(argosy::mpiio::word a, argosy::mpiio::word b,           \
                                      argosy::mpiio::word c, argosy::mpiio::word d,           \
                                      argosy::mpiio::word e, argosy::mpiio::word f) {         \
    return argosy::mpiio::target_of_##name.load(std::memory_order_acquire)(a, b, c, d, e, f); \
  }
#define ARGOSY_MPIIO_FORWARD_BOTH(name) \
  ARGOSY_MPIIO_FORWARD(MPI_##name) ARGOSY_MPIIO_FORWARD(PMPI_##name)

ARGOSY_MPIIO_FUNCTIONS(ARGOSY_MPIIO_FORWARD_BOTH)
ARGOSY_MPIIO_FORTRAN_FUNCTIONS(ARGOSY_MPIIO_FORWARD)
