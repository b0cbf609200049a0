// The next functions after this library: those of the MPI library, and of profiling tools in
// between.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::mpiio {

// True with ARGOSY_MPIIO=off: every call goes to the MPI library, for comparisons in one
// environment.
extern bool const is_off;

// Returns the next definition of `name` behind this library, or null. In a part for one family of
// MPI libraries, the front of the drop-in looks for it (families/part.hpp).
void* look_behind(char const* name);

// Returns the next definition of `name` behind this library. Ends the process if there is none,
// as the dynamic linker does with a missing symbol.
void* next_symbol(char const* name);

template <class Function>
Function* next(char const* name) {
  return reinterpret_cast<Function*>(next_symbol(name));
}

// The target of a call that came to this library by one of its names.
struct found_way {
  void* to;     // null if the MPI library has no such function
  bool passes;  // true if the call goes there unchanged, and this library does nothing
};

// Decides where a call of `name` goes, which is MPI_X or PMPI_X.
//
//   ARGOSY_MPIIO=off: to the next function of the same name.
//   PMPI_X: this library carries it out, and calls the next PMPI_X for functions of MPI.
//   MPI_X, if a tool behind has one that calls PMPI_X: to the tool, which comes back by PMPI_X.
//   MPI_X, if a tool behind has one that finds the MPI library by itself (dlsym): this library
//     carries it out, and `to` is the tool's.
found_way find_way(char const* name);

template <class Function>
struct way {
  Function* to;
  bool passes;
};
template <class Function>
way<Function> way_of(char const* name) {
  found_way const found = find_way(name);
  return {reinterpret_cast<Function*>(found.to), found.passes};
}

}  // namespace argosy::mpiio

// Looks up a function behind this library, once. This library calls the MPI library by PMPI_ names,
// so that a tool sees only the calls of the program.
#define ARGOSY_MPIIO_NEXT(name)                                                \
  [] {                                                                         \
    static auto* const found = ::argosy::mpiio::next<decltype(::name)>(#name); \
    return found;                                                              \
  }()

#define ARGOSY_MPIIO_AND(...) __VA_OPT__(, ) __VA_ARGS__

// Begins the definition of a function of MPI, `name` (MPI_X); its body follows. `parameters` and
// `arguments` are in brackets. In the body `real` is the next function of that name.
//
// PMPI_X is a separate function, because each of the two calls the next function of its own kind. A
// tool's MPI_X calls PMPI_X, and would otherwise come back without end. MPI_X is weak, as in MPI
// libraries, so that a tool's MPI_X may be in the same program if both are linked statically.
#define ARGOSY_MPIIO_FUNCTION(result, name, parameters, arguments)                        \
  extern "C" result name parameters;                                                      \
  extern "C" result P##name parameters;                                                   \
  static result argosy_##name(                                                            \
      [[maybe_unused]] decltype(::name)* real ARGOSY_MPIIO_AND parameters);               \
  extern "C" __attribute__((weak)) result name parameters {                               \
    static auto const on = ::argosy::mpiio::way_of<decltype(::name)>(#name);              \
    return on.passes ? on.to arguments : argosy_##name(on.to ARGOSY_MPIIO_AND arguments); \
  }                                                                                       \
  extern "C" result P##name parameters {                                                  \
    static auto const on = ::argosy::mpiio::way_of<decltype(::name)>("P" #name);          \
    return on.passes ? on.to arguments : argosy_##name(on.to ARGOSY_MPIIO_AND arguments); \
  }                                                                                       \
  static result argosy_##name([[maybe_unused]] decltype(::name)* real ARGOSY_MPIIO_AND parameters)
