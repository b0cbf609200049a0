// The error codes of files, with MPI's names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <system_error>
#include <type_traits>

namespace argosy {

// MPI's error classes of the I/O chapter and of its arguments, and further ones without a name in
// MPI. `to_mpi_class` (<argosy/error/mpi.hpp>) returns MPI's number.
enum class errc {
  // errors of the file system
  access = 1,      // EACCES, EPERM; a read of a file opened for writing only
  bad_file,        // EISDIR, ENAMETOOLONG, ELOOP, ENOTDIR: not a name of a file
  file,            // EBADF, EBADFD, ENOTCONN, ESTALE: the handle can no longer be used
  file_exists,     // EEXIST
  file_in_use,     // EBUSY, ETXTBSY
  io,              // EIO, and all errors that have no class in this list
  no_space,        // ENOSPC
  no_such_file,    // ENOENT
  quota,           // EDQUOT
  read_only,       // EROFS; a write to a file opened for reading only
  file_too_large,  // EFBIG, EOVERFLOW, also for a size limit of the process
  too_many_files,  // EMFILE, ENFILE
  no_memory,       // ENOMEM, std::bad_alloc
  no_locks,        // ENOLCK; from a lock also EDEADLK, ENOTSUP, ENOSYS, EINVAL
  truncated,       // the file became shorter while it was read
  damaged,         // the bytes of the file do not fit its format or its checksums
  // errors of arguments
  amode,  // modes that contradict each other
  // EINVAL; a negative count or offset, a number of 2^63 or more, a null pointer
  argument,
  datatype,        // a layout that cannot be a filetype, an etype that does not divide it
  representation,  // unknown data representation
  duplicate_representation,
  conversion,  // a value that the representation cannot hold
  user_code,   // code of the program threw: a datatype, representation, policy, opener or handle
  hint,        // an impossible value of a hint; most are only rejected
  not_same,    // an argument that must be equal on all ranks is not
  // EOPNOTSUPP, ENOSYS; not possible with this mode, handle or file system, such as an offset in a
  // sequential file
  unsupported,
  // errors elsewhere
  error_on_another_rank,
  rank_failed,
};

std::error_category const& category() noexcept;
inline std::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), category()};
}

// Returns the class of any error code. An errno has the class that names it in the list above, or
// errc::io if none does. argosy's own codes are unchanged. Codes of all other categories are
// errc::io. Precondition: `code` is an error; no error would be errc::io, too.
errc classify(std::error_code const& code) noexcept;

namespace detail {

// Returns true if the code is a number of the operating system.
inline bool is_errno(std::error_code const& code) noexcept {
  return code.category() == std::system_category() || code.category() == std::generic_category();
}

}  // namespace detail

// Returns the remedy: a phrase about what a user can do, without a full stop. It lives as long as
// the program.
std::string_view remedy(errc e) noexcept;

}  // namespace argosy

template <>
struct std::is_error_code_enum<argosy::errc> : std::true_type {};
