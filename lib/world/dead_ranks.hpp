// What MPI says of ranks that died, where a job goes on without them: with Open MPI 5, if it was
// started by mpiexec --with-ft ulfm.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace argosy::detail {

// Deaths are told by error codes in this job. False before MPI_Init, and in programs of sessions
// only.
bool outlives_ranks() noexcept;

// The code of an MPI call does.
bool tells_of_dead_rank(int code) noexcept;

// Of the communicator. -1 if none is known.
int lowest_dead_rank(MPI_Comm comm) noexcept;

// Whoever waits in it, or will, is told by an error.
void revoke(MPI_Comm comm) noexcept;

// Messages of this communicator that are under way end by an error, now or after this call, which
// revokes it if one of its ranks is dead.
bool ends_by_death(MPI_Comm comm) noexcept;

// Of a send that nobody waits for any more. Freed requests will not do where ranks may die: Open
// MPI ends the program if one fails.
void let_end(MPI_Request send) noexcept;

}  // namespace argosy::detail
