// Chooses the handle that a file is opened on: one program can use several file systems, by a hint.
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

// Returns the handle for a file. The choice comes from the hint, of the program or of a hints file,
// from a prefix of the path, or from ROMIO's hint romio_filesystem_type:
//
//   posix        the operating system's files, which is the default
//   gpfs         the same, with hints to a real GPFS if the file lies on one
//   gpfsd:FILE   files of the simulated GPFS whose argosy-gpfsd wrote FILE, which this process
//                mounts once
//
// For any other value the opener fails with errc::hint, so that all ranks of the open get the
// error.
chosen_handle handle_for(std::string const& path, hints const& given);

}  // namespace argosy::mpiio
