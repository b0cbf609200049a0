// VTKHDF files, on MPI and without.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <argosy/file/file.hpp>
#include <argosy/format/vtkhdf.hpp>

namespace argosy {

template class basic_vtkhdf<mpi>;
template class basic_vtkhdf<self>;

}  // namespace argosy
