// Finds the MPI library of this process, and the family of its binary interface.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::mpiio {

// A library that programs of its family run on, whatever they were built with.
enum class family {
  none,      // the process has no MPI library
  unknown,   // an MPI library of another interface
  openmpi,   // libmpi.so.40
  mpich,     // libmpi.so.12: MPICH, Intel MPI, MVAPICH2, Cray's MPI
  standard,  // libmpi_abi.so.1, the interface of MPI 5.0
};

struct mapped_mpi {
  family of = family::none;
  void* library = nullptr;       // for dlsym; never closed
  void const* inside = nullptr;  // an address in it
};

// Finds the MPI library among the loaded ones, and lets libraries that are loaded later use its
// functions, as RTLD_GLOBAL does. If there are several, it is one that the program has initialised,
// otherwise the one that this process calls.
mapped_mpi find_mapped_mpi();

}  // namespace argosy::mpiio
