// Implements mapped_mpi.hpp. Without functions of the C++ library, which the front does not have.
// SPDX-License-Identifier: BSD-3-Clause
#include "mapped_mpi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace argosy::mpiio {
namespace {

// Paths of loaded objects, one after the other, each with a zero behind it.
struct path_list {
  char* text = nullptr;
  std::size_t size = 0, room = 0;

  bool add(char const* path) {
    std::size_t const length = std::strlen(path) + 1;
    if (size + length > room) {
      std::size_t const more = 2 * (size + length);
      auto* const larger = static_cast<char*>(std::realloc(text, more));
      if (!larger) return false;
      text = larger;
      room = more;
    }
    std::memcpy(text + size, path, length);
    size += length;
    return true;
  }
};

// The dynamic linker is locked while it calls this, so the objects are opened afterwards.
int note_path(dl_phdr_info* info, std::size_t, void* list) {
  static_cast<path_list*>(list)->add(info->dlpi_name ? info->dlpi_name : "");
  return 0;
}

// Returns true if the library calls itself one of MPICH's family.
bool says_mpich(void* library) {
  using get_version = int(char*, int*);
  auto* const get = reinterpret_cast<get_version*>(::dlsym(library, "PMPI_Get_library_version"));
  constexpr std::size_t most = 8192;  // MPI_MAX_LIBRARY_VERSION_STRING of all of them
  auto* const text = static_cast<char*>(std::calloc(most + 1, 1));
  int length = 0;
  bool found = false;
  if (get && text && get(text, &length) == 0)
    for (char const* const name : {"MPICH", "Intel(R) MPI", "MVAPICH", "ParaStation"})
      found = found || std::strstr(text, name) != nullptr;
  std::free(text);
  return found;
}

family family_of(void* library, char const* path) {
  char const* const slash = std::strrchr(path, '/');
  char const* const name = slash ? slash + 1 : path;
  // The version 0 of this name had other numbers.
  if (std::strncmp(name, "libmpi_abi", 10) == 0)
    return std::strstr(name, ".so.0") ? family::unknown : family::standard;
  if (::dlsym(library, "ompi_mpi_comm_world")) return family::openmpi;
  return says_mpich(library) ? family::mpich : family::unknown;
}

bool is_initialised(void* library) {
  using initialized = int(int*);
  auto* const ask = reinterpret_cast<initialized*>(::dlsym(library, "PMPI_Initialized"));
  int flag = 0;
  return ask && ask(&flag) == 0 && flag != 0;
}

// Returns the function by which an MPI library is known, if the object itself has it; otherwise
// null.
void const* mark_in(void* library, char const* path) {
  void* const mark = ::dlsym(library, "PMPI_Init");  // or that of an object that this one needs
  Dl_info where{};
  void* object = nullptr;
  if (!mark || ::dladdr1(mark, &where, &object, RTLD_DL_LINKMAP) == 0) return nullptr;
  return std::strcmp(static_cast<link_map const*>(object)->l_name, path) == 0 ? mark : nullptr;
}

// Opens an object that is loaded already. The program itself has an empty name.
void* open_again(char const* path, int flags) {
  return ::dlopen(*path == '\0' ? nullptr : path, RTLD_LAZY | RTLD_NOLOAD | flags);
}

}  // namespace

mapped_mpi find_mapped_mpi() {
  path_list all;
  ::dl_iterate_phdr(note_path, &all);
  // The one that a call of this process reaches, if it is not hidden by RTLD_LOCAL.
  void const* const called = ::dlsym(RTLD_DEFAULT, "PMPI_Init");
  mapped_mpi best;
  char const* best_path = nullptr;
  bool best_runs = false;
  for (char const* path = all.text; path != all.text + all.size; path += std::strlen(path) + 1) {
    void* const library = open_again(path, RTLD_LOCAL);
    if (!library) continue;
    void const* const mark = mark_in(library, path);
    bool const runs = mark && is_initialised(library);
    bool const better =
        mark && (!best.library || (runs && !best_runs) || (runs == best_runs && mark == called));
    if (!better) {
      ::dlclose(library);
      continue;
    }
    if (best.library) ::dlclose(best.library);
    best = {family::unknown, library, mark};
    best_path = path;
    best_runs = runs;
  }
  if (best.library) {
    best.of = family_of(best.library, best_path);
    if (best.inside != called) open_again(best_path, RTLD_GLOBAL);
  }
  std::free(all.text);
  return best;
}

}  // namespace argosy::mpiio
