// io::file: a file on MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/basic_file.hpp>
#include <argosy/file/summed_report.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy {

//   boost::mpi::communicator world;
//   auto f = io::file::open(world, "state.dat", io::mode::create | io::mode::write);
// `world` is any communicator of Boost.MPI, or an MPI_Comm. Without MPI, use
// io::basic_file<io::self>.
using file = basic_file<mpi>;

// Returns the report summed over the ranks of any communicator: see summed_report.hpp. Collective.
inline summed_report summed(report const& r, mpi const& world) { return summed<mpi>(r, world); }

extern template class basic_file<mpi>;

}  // namespace argosy
