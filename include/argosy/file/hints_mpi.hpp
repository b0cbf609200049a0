// Hints from and to MPI_Info.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints.hpp>

namespace argosy {

// Returns all pairs of `info` as named hints, none for MPI_INFO_NULL. Local. Throws
// std::system_error of errc::argument if MPI returns an error, for example because `info` is not
// valid. With MPI's default error handler, MPI ends the program instead.
hints from_info(MPI_Info info);

// Returns every hint that has a value in force, known or unknown, like MPI_File_get_info. A
// rejected hint is returned with the value that was kept. Names and values that are too long for
// MPI_Info are left out. Local. Throws std::system_error if MPI returns an error. The caller frees
// the result by MPI_Info_free.
MPI_Info to_info(file_hints const& h);

}  // namespace argosy
