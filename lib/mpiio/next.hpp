// The functions behind this library: those of the MPI library, and of profiling tools in between.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::mpiio {

// ARGOSY_MPIIO=off: every call goes to the MPI library, so that one can compare in one environment.
extern bool const is_off;

// Returns the next definition of `name` behind this library. Ends the process if there is none,
// as the dynamic linker does with a missing symbol.
void* next_symbol(char const* name);

template <class Function>
Function* next(char const* name) {
  return reinterpret_cast<Function*>(next_symbol(name));
}

// The way of a call that came to this library by one of its names.
struct found_way {
  void* to;     // null if the MPI library has no such function
  bool passes;  // the call goes there as it is, and this library does nothing
};

// Decides where a call of `name` goes, which is MPI_X or PMPI_X.
//   ARGOSY_MPIIO=off: to the next function of the same name.
//   PMPI_X: it is carried out here; what it needs of the MPI library is the next PMPI_X.
//   MPI_X, and a tool behind has one that calls PMPI_X: to the tool, which comes back by PMPI_X.
//   MPI_X, and a tool behind has one that finds the MPI library by itself (dlsym): it is carried
//     out here, and `to` is the tool's.
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

// Looks up a function behind this library, once. This library calls the MPI library by PMPI_
// names, so that a tool sees the calls of the program only.
#define ARGOSY_MPIIO_NEXT(name)                                                \
  [] {                                                                         \
    static auto* const found = ::argosy::mpiio::next<decltype(::name)>(#name); \
    return found;                                                              \
  }()

#define ARGOSY_MPIIO_AND(...) __VA_OPT__(, ) __VA_ARGS__

// Begins the definition of a function of MPI, `name` (MPI_X), whose body follows; `parameters`
// and `arguments` are in brackets. In the body `real` is the function that it stands before.
// PMPI_X is a function of its own, since each of the two goes on to its own kind: a tool's MPI_X
// calls PMPI_X, and would come back for ever. MPI_X is weak, as it is in MPI libraries, so that a
// tool's may be in the same program when both are linked statically.
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
