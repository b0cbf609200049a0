// Hints from and to MPI_Info.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints.hpp>

namespace argosy {

// All pairs, as named hints; none of MPI_INFO_NULL. Local. Throws std::system_error if `info` is
// not valid.
hints from_info(MPI_Info info);

// As MPI_File_get_info: every hint with a value in force, known or not; of rejected ones the value
// that stays. The caller frees the result. Local.
MPI_Info to_info(file_hints const& h);

}  // namespace argosy
