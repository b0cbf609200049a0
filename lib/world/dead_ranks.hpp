// Finds dead ranks in jobs that continue without them: Open MPI 5, started by mpiexec --with-ft
// ulfm.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace argosy::detail {

// Returns true if the job continues when a rank dies, and MPI calls return error codes for it.
// False before MPI_Init, and in programs of sessions only.
bool survives_rank_death() noexcept;

// Returns true if the code of an MPI call says that a rank has died.
bool tells_of_dead_rank(int code) noexcept;

// Returns the lowest dead rank of the communicator, or -1 if none is known.
int lowest_dead_rank(MPI_Comm comm) noexcept;

// Makes all calls of this communicator fail with an error, those that wait and later ones.
void revoke(MPI_Comm comm) noexcept;

// Returns true if messages of this communicator that are under way end with an error. If one of its
// ranks is dead, this call revokes the communicator for that.
bool ends_by_death(MPI_Comm comm) noexcept;

// Stores a send that no rank waits for any more until it has ended. MPI_Request_free is not
// possible if ranks may die: Open MPI ends the program if a freed request fails.
void let_end(MPI_Request send) noexcept;

}  // namespace argosy::detail
