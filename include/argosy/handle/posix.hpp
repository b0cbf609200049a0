// A file of the operating system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/handle/raw_posix.hpp>
#include <argosy/handle/retrying.hpp>

namespace argosy {

// Local. The destructor closes, and keeps an error to itself: call close() to know.
//
//   std::error_code error;
//   auto f = argosy::posix::open("state.dat", {.read = true, .write = true, .create = true},
//   error);
//   if (!error) auto [bytes, e] = f.write(0, data);
//
// - Costs one system call per run of parts (up to IOV_MAX of them and 2 GiB), nothing else; two
//   more at the end of the file. Transfers of any length.
// - Errors are the errno of the call. RLIMIT_FSIZE comes back as EFBIG, and the process lives,
//   whenever the limit was set. Where the program leaves SIGXFSZ at its default, a handler is there
//   while a file is open for writing; any other write beyond the limit ends the program as before.
//   If the program sets another handler, that one is called by small writes beyond a limit that was
//   lowered since open, resize, preallocate, sync or the last write of 128 KiB and more.
// - Locks are OFD locks (with NFS and others as far as the file system takes them to its servers),
//   and exclude the threads of one handle, too. EDEADLK, ENOLCK, ENOTSUP, ENOSYS and EINVAL of the
//   file system are errc::no_locks. A lock ends with its handle; a child made by fork shares both
//   until the handle is closed. lock() waits no longer than raw_posix::longest_lock_wait:
//   errc::file_in_use.
using posix = retrying<raw_posix>;

extern template class retrying<raw_posix>;
static_assert(openable<raw_posix>);
static_assert(openable<posix>);

}  // namespace argosy
