// What opening a file needs beside the world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/file/file_hints.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// By hint, or by ARGOSY_DEVELOP=1 (or on, true) in the environment.
bool wants_develop(file_hints const& h);

// Without a prefix that tells other libraries for MPI-IO which file system it is, as in "ufs:data"; not if there is such a file.
std::string without_prefix(std::string const& path);
// Equal for two paths, also on different nodes, that name the same file, or the same place where there is none yet; of paths of which
// this system knows nothing, their text.
std::uint64_t place_of(std::string const& path);
// The path by which all ranks know the file, whatever they call it; itself if that cannot be told.
std::string canonical_path(std::string const& path);

// Another one each time, in each process.
std::uint64_t random_name();
// Of the hidden file beside `path`.
std::string pointer_path(std::string const& path, std::uint64_t name);
// False if it is known that no file can be made beside this one.
bool takes_files(std::string const& path);

}  // namespace argosy::detail
