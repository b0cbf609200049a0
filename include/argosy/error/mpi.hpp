// MPI's error classes, for code that also uses MPI's I/O.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <system_error>

namespace argosy {

// Returns MPI_SUCCESS for no error, MPI_ERR_NO_SPACE and so on. Returns MPI_ERR_OTHER for
// error_on_another_rank, which has no class in MPI.
int to_mpi_class(std::error_code const& code) noexcept;

}  // namespace argosy
