// On which handle a file is opened: one program on several file systems by a hint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/file/hints.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy::mpiio {

struct chosen_handle {
  std::string name;
  opener files;
};

inline constexpr char handle_hint[] = "argosy_handle";

// By that hint, of the program or of a hints file, by a prefix of the path, or by ROMIO's hint
// romio_filesystem_type:
//   posix        the operating system's files, which is the default
//   gpfs         the same, and hints to a real GPFS where the file lies on one
//   gpfsd:FILE   files of the simulated GPFS whose argosy-gpfsd wrote FILE, which this process
//                mounts once
// What is none of these is an opener that fails by errc::hint, so that all ranks of the open are
// told.
chosen_handle handle_for(std::string const& path, hints const& given);

}  // namespace argosy::mpiio
