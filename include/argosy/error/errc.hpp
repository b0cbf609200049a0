// The error codes of files, named as MPI names them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <system_error>
#include <type_traits>

namespace argosy {

// MPI's error classes of the I/O chapter and those of its arguments, and what MPI has no name for.
// `to_mpi_class` (<argosy/error/mpi.hpp>) gives the number.
enum class errc {
  // what the file system says
  access = 1,      // EACCES, EPERM; a read of a file opened for writing only
  bad_file,        // EISDIR, ENAMETOOLONG, ELOOP, ENOTDIR: not a name of a file
  file,            // EBADF, ESTALE: the handle is of no use any more
  file_exists,     // EEXIST
  file_in_use,     // EBUSY, ETXTBSY
  io,              // EIO and whatever has no class of its own
  no_space,        // ENOSPC
  no_such_file,    // ENOENT
  quota,           // EDQUOT
  read_only,       // EROFS; a write to a file opened for reading only
  file_too_large,  // EFBIG, also for a size limit of the process
  too_many_files,  // EMFILE, ENFILE
  no_memory,       // ENOMEM, std::bad_alloc
  no_locks,        // ENOLCK, ENOTSUP for locks
  truncated,       // the file became shorter while it was read
  damaged,         // its bytes are not what its format says, or not what was written
  // what a call was given
  amode,           // modes that contradict each other
  argument,        // a negative count or offset, beyond 2^63, a null pointer
  datatype,        // a layout that cannot be a filetype, an etype that does not divide it
  representation,  // unknown data representation
  duplicate_representation,
  conversion,   // a value that the representation cannot hold
  user_code,    // a datatype, representation, policy, opener or handle of the program threw
  hint,         // a hint whose value cannot be; but most are only rejected
  not_same,     // an argument that must be equal on all ranks is not
  unsupported,  // not with this mode, handle or file system: a sequential file has no offsets
  // what happened elsewhere
  error_on_another_rank,
  rank_failed,
};

std::error_category const& category() noexcept;
inline std::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), category()};
}

// The class of any error code: errno values as in the list above, argosy's own codes unchanged.
// `code` must be an error.
errc classify(std::error_code const& code) noexcept;

namespace detail {

// True if the code is a number of the operating system.
inline bool is_errno(std::error_code const& code) noexcept {
  return code.category() == std::system_category() || code.category() == std::generic_category();
}

}  // namespace detail

// The remedy: one sentence on what a user can do about an error.
std::string_view remedy(errc e) noexcept;

}  // namespace argosy

template <>
struct std::is_error_code_enum<argosy::errc> : std::true_type {};
