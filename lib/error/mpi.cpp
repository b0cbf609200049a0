// Implements error/mpi.hpp: the MPI class of an error code.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <argosy/error/errc.hpp>
#include <argosy/error/mpi.hpp>

namespace argosy {

int to_mpi_class(std::error_code const& code) noexcept {
  if (!code) return MPI_SUCCESS;
  switch (classify(code)) {
    case errc::access:
      return MPI_ERR_ACCESS;
    case errc::bad_file:
      return MPI_ERR_BAD_FILE;
    case errc::file:
      return MPI_ERR_FILE;
    case errc::file_exists:
      return MPI_ERR_FILE_EXISTS;
    case errc::file_in_use:
      return MPI_ERR_FILE_IN_USE;
    case errc::no_space:
      return MPI_ERR_NO_SPACE;
    case errc::no_such_file:
      return MPI_ERR_NO_SUCH_FILE;
    case errc::quota:
      return MPI_ERR_QUOTA;
    case errc::read_only:
      return MPI_ERR_READ_ONLY;
    case errc::io:
    case errc::file_too_large:
    case errc::truncated:
    case errc::damaged:
      return MPI_ERR_IO;
    case errc::amode:
      return MPI_ERR_AMODE;
    case errc::argument:
      return MPI_ERR_ARG;
    case errc::datatype:
      return MPI_ERR_TYPE;
    case errc::representation:
      return MPI_ERR_UNSUPPORTED_DATAREP;
    case errc::duplicate_representation:
      return MPI_ERR_DUP_DATAREP;
    case errc::conversion:
      return MPI_ERR_CONVERSION;
    case errc::hint:
      return MPI_ERR_INFO_VALUE;
    case errc::no_memory:
      return MPI_ERR_NO_MEM;
    case errc::not_same:
      return MPI_ERR_NOT_SAME;
    case errc::no_locks:
    case errc::unsupported:
      return MPI_ERR_UNSUPPORTED_OPERATION;
    case errc::too_many_files:
    case errc::user_code:
    case errc::error_on_another_rank:
    case errc::rank_failed:
      return MPI_ERR_OTHER;
  }
  return MPI_ERR_UNKNOWN;
}

}  // namespace argosy
