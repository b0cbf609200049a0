// What is told of files at the end of a program: MPI_Finalize. Each file is told of when it is
// closed, since only there all of its ranks meet; and what a job that is ended from outside had
// closed before is told, too. Here rank 0 of files tells what it has kept of them, and asks no
// other rank: one that ends early, or has no files, must not keep it waiting.
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

// ARGOSY_MPIIO_REPORT is ARGOSY_REPORT by another name, for those who look for it beside
// ARGOSY_MPIIO.
[[maybe_unused]] bool const wants_report = [] {
  char const* const said = std::getenv("ARGOSY_MPIIO_REPORT");
  if (said == nullptr || *said == '\0') return false;
  constexpr int not_over_another = 0;
  ::setenv("ARGOSY_REPORT", said, not_over_another);
  return true;
}();

// Once, also where a tool behind this library comes back by PMPI_Finalize unexpectedly.
void tell_of_all_files() noexcept try {
  static bool is_told = false;
  if (std::exchange(is_told, true)) return;
  if (std::string const table = detail::files_closed().table(); !table.empty())
    detail::publish(table);
} catch (std::exception const&) {  // a report is worth no error
}

}  // namespace
}  // namespace argosy::mpiio

extern "C" {

ARGOSY_MPIIO_FUNCTION(int, MPI_Finalize, (), ()) {
  argosy::mpiio::tell_of_all_files();
  return real();
}

}  // extern "C"
