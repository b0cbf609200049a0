// io::vtkhdf: a VTKHDF file, which ParaView opens, on MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/format/basic_vtkhdf.hpp>
#include <argosy/world/mpi.hpp>
#include <argosy/world/self.hpp>

namespace argosy {

// A state for a VTKHDF file on MPI. Without MPI: io::basic_vtkhdf<io::self>.
using vtkhdf = basic_vtkhdf<mpi>;

extern template class basic_vtkhdf<mpi>;
extern template class basic_vtkhdf<self>;

}  // namespace argosy
