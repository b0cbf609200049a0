// io::file: a file on MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/basic_file.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy {

//   boost::mpi::communicator world;
//   auto f = io::file::open(world, "state.dat", io::mode::create | io::mode::write);
// Any communicator of Boost.MPI, or MPI_Comm. Without MPI: io::basic_file<io::self>.
using file = basic_file<mpi>;

extern template class basic_file<mpi>;

}  // namespace argosy
