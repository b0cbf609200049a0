// io::xdmf: a sidecar .xdmf, on MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/format/basic_xdmf.hpp>
#include <argosy/world/mpi.hpp>
#include <argosy/world/self.hpp>

namespace argosy {

// A sidecar .xdmf on MPI. Without MPI: io::basic_xdmf<io::self>.
using xdmf = basic_xdmf<mpi>;

extern template class basic_xdmf<mpi>;
extern template class basic_xdmf<self>;

}  // namespace argosy
