// io::checkpoint: named arrays and values in one file, on MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/file.hpp>
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy {

// A checkpoint on MPI. Without MPI: io::basic_checkpoint<io::self>.
using checkpoint = basic_checkpoint<mpi>;

extern template class basic_checkpoint<mpi>;
extern template class basic_checkpoint<self>;

}  // namespace argosy
