// How calls of MPI are checked, for the parts of world/mpi.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include <mpi.h>

#include <argosy/world/mpi.hpp>
#include <argosy/world/rank_failure.hpp>

#include "dead_ranks.hpp"

namespace argosy::detail {

// Returns MPI's text for an error code.
std::string mpi_text_of(int code);

// Throws for an error code. With an error handler that aborts, a failing call never returns.
inline void check(char const* call, int code) {
  if (code == MPI_SUCCESS) return;
  if (tells_of_dead_rank(code))
    throw rank_failure(-1, std::string(call) + ": " + mpi_text_of(code));
  throw mpi_error(call, code);
}

// Throws for an error code of communication in `c`. If a rank of `c` is dead, the code may be that
// of a consequence. For example, a nonblocking collective call that cannot begin its next round
// returns MPI_ERR_OTHER.
inline void check(char const* call, int code, MPI_Comm c) {
  if (code != MPI_SUCCESS && ends_by_death(c))
    throw rank_failure(-1, std::string(call) + ": " + mpi_text_of(code));
  check(call, code);
}

inline bool is_finalized() noexcept {
  int flag = 0;
  return MPI_Finalized(&flag) != MPI_SUCCESS || flag != 0;
}

inline std::size_t bytes_of(MPI_Status const& status) {
  // MPI_BYTE, because Open MPI 4.1 counts the bytes of a partial message in 32 bits if it is given
  // the received type.
  MPI_Count bytes = 0;
  check("MPI_Get_elements_x", MPI_Get_elements_x(&status, MPI_BYTE, &bytes));
  return static_cast<std::size_t>(bytes);
}

}  // namespace argosy::detail
