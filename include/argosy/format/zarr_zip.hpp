// Zarr stores in one zip file, as zarr-python's ZipStore has them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/handle/opener.hpp>

namespace argosy {

// Returns an opener of the files in a zip file, for reading only. The zip file is a directory with
// its own path. Entries must be stored without compression; others are errc::unsupported.
//   io::opener const zip = io::zip_opener("run.zip");
//   auto z = io::zarr::open(world, "run.zip/u", tile, io::mode::read, {}, zip);
// The list of entries is read when a file is opened for the first time.
opener zip_opener(std::string path, opener files = posix_opener());

}  // namespace argosy
