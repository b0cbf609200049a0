// The interface between the front of the drop-in and its parts.
//
// The front is libargosy-mpiio.so, which is preloaded. It has MPI's names and no code of argosy. A
// part is lib/mpiio/ and argosy's library, compiled with the mpi.h of one family of MPI libraries.
// The front loads one part, behind the MPI library that the process has. A part is not linked to an
// MPI library, because libraries of one family have several names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::mpiio {

// Services of the front for its part. Valid until the process ends.
struct front_services {
  // Returns the next function behind the front, of a tool or of the MPI library, or null.
  void* (*next)(char const* name);
  // An address in the MPI library.
  void const* mpi_library;
};

// The function of a part that the front calls first, by the name argosy_mpiio_start. Returns null,
// or says why the part cannot be used.
using start_part = char const*(front_services const*);

}  // namespace argosy::mpiio
