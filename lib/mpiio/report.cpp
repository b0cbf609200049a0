// Prints the report of all files at the end of a program, in MPI_Finalize. Each file is reported
// when it is closed, because its ranks synchronise only there. The files that were closed are also
// reported if the job is ended from outside. Here rank 0 of files prints its own records and asks
// no other rank: a rank that ends early, or has no files, must not make it wait.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include <mpi.h>

#include <argosy/file/detail/state/closed_files.hpp>

#include "next.hpp"

namespace argosy::mpiio {
namespace {

// ARGOSY_MPIIO_REPORT is another name of ARGOSY_REPORT, for users who expect the prefix of
// ARGOSY_MPIIO.
[[maybe_unused]] bool const wants_report = [] {
  char const* const said = std::getenv("ARGOSY_MPIIO_REPORT");
  if (said == nullptr || *said == '\0') return false;
  constexpr int not_over_another = 0;
  ::setenv("ARGOSY_REPORT", said, not_over_another);
  return true;
}();

// Prints once, also if a tool behind this library comes back by PMPI_Finalize.
void tell_of_all_files() noexcept try {
  static bool is_told = false;
  if (std::exchange(is_told, true)) return;
  if (std::string const table = detail::files_closed().table(); !table.empty())
    detail::publish(table);
} catch (std::exception const&) {  // a failure to print the report is no error
}

}  // namespace
}  // namespace argosy::mpiio

extern "C" {

ARGOSY_MPIIO_FUNCTION(int, MPI_Finalize, (), ()) {
  argosy::mpiio::tell_of_all_files();
  return real();
}

}  // extern "C"
