// Error classes as MPI numbers them, for code that speaks both.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <system_error>

namespace argosy {

// MPI_SUCCESS for no error, MPI_ERR_NO_SPACE and so on; MPI_ERR_OTHER for error_on_another_rank,
// for which MPI has no class.
int to_mpi_class(std::error_code const& code) noexcept;

}  // namespace argosy
