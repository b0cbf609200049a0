// IBM's Parallel Environment controls its MPI-IO by variables whose names begin with MP_. Those
// with a meaning here are read as hints (docs/use/mpiio.md has the table).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/hints.hpp>

namespace argosy::mpiio {

// Returns the hints of MP_EUIDEVELOP, MP_IO_BUFFER_SIZE and MP_IONODEFILE, but for those that the
// file of ARGOSY_HINTS gives, too. Local: every rank reads the node file.
hints hints_of_ibm_variables();

}  // namespace argosy::mpiio
