// MPI's error classes, for code that also uses MPI's I/O.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <system_error>

namespace argosy {

// Returns the class of MPI for any error code: MPI_SUCCESS for no error, MPI_ERR_NO_SPACE and so
// on. Several codes share MPI_ERR_IO and MPI_ERR_UNSUPPORTED_OPERATION. Returns MPI_ERR_OTHER for
// too_many_files, user_code, error_on_another_rank and rank_failed, which have no class in MPI.
int to_mpi_class(std::error_code const& code) noexcept;

}  // namespace argosy
