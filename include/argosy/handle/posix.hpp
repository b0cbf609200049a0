// A file of the operating system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/handle/raw_posix.hpp>
#include <argosy/handle/retrying.hpp>

namespace argosy {

// A file of the operating system. All calls are local. The destructor closes it and ignores errors;
// call close() to get them.
//
//   std::error_code error;
//   auto f = argosy::posix::open("state.dat", {.read = true, .write = true, .create = true},
//                                error);
//   if (!error) auto [bytes, e] = f.write(0, data);
//
// - Costs one system call per run of parts (up to IOV_MAX of them and 2 GiB), and two more at the
//   end of the file. Transfers may have any length.
// - Errors are the errno of the call. RLIMIT_FSIZE is reported as EFBIG, and the process lives,
//   whenever the limit was set.
// - If the program leaves SIGXFSZ at its default, argosy installs a handler while a file is open
//   for writing. Any other write beyond the limit ends the program as before.
// - If the program sets another handler of SIGXFSZ, small writes may call it. This happens if the
//   limit was lowered since open, resize, preallocate, sync or the last write of 128 KiB and more.
// - Locks are OFD locks, and also exclude the threads of one handle. NFS and others pass them to
//   their servers as far as they support that. EDEADLK, ENOLCK, ENOTSUP, ENOSYS and EINVAL of the
//   file system are errc::no_locks. A lock ends with its handle. A child made by fork shares both
//   until the handle is closed.
// - lock() waits at most raw_posix::longest_lock_wait for other handles and processes, and then
//   returns errc::file_in_use. It waits without limit for other threads of its own handle.
using posix = extend::retrying<extend::raw_posix>;

extern template class extend::retrying<extend::raw_posix>;
static_assert(extend::openable<extend::raw_posix>);
static_assert(extend::openable<posix>);

}  // namespace argosy
