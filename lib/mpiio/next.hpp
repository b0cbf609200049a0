// The MPI library's own functions, which ours stand before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::mpiio {

// ARGOSY_MPIIO=off: every call goes to the MPI library, so that one can compare in one environment.
extern bool const is_off;

// The next definition of `name` behind this library: a tool's, or the MPI library's. Ends the process if there is none, as
// the dynamic linker does with a missing symbol.
void* next_symbol(char const* name);

template <class Function>
Function* next(char const* name) {
  return reinterpret_cast<Function*>(next_symbol(name));
}

}  // namespace argosy::mpiio

// The address is looked up once.
#define ARGOSY_MPIIO_NEXT(name)                                                \
  [] {                                                                         \
    static auto* const found = ::argosy::mpiio::next<decltype(::name)>(#name); \
    return found;                                                              \
  }()

// First in the body of a function of MPI's I/O chapter.
#define ARGOSY_MPIIO_UNLESS_OFF(name, ...) \
  if (::argosy::mpiio::is_off) return ARGOSY_MPIIO_NEXT(name)(__VA_ARGS__)

// The same function by the name that profiling layers above and MPI's own Fortran wrappers below call.
#define ARGOSY_MPIIO_ALSO_PMPI(name) extern "C" decltype(name) P##name __attribute__((alias(#name)))
