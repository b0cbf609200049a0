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

// Returns the path without prefixes that tell other libraries for MPI-IO which file system it is,
// as in "ufs:data". A path stays as it is if there is a file of that name. `basic_file::open` calls
// this, and so does whatever else uses a path that the program gave.
std::string without_prefix(std::string const& path);

// By which facts ranks that call a file by different paths compare it. Lasting ones do not change
// while others write to the file: inode, file system, and time of birth. A node may not be told the
// time of birth; then size and time of the last change are compared, which is right while nobody
// writes.
enum class facts { lasting, momentary };
// Returns the same number for two paths, also on different nodes, that name the same file, or the
// same place if there is no file yet. If this system knows nothing of the path, its text counts.
std::uint64_t place_of(std::string const& path, facts compared);
// The path by which all ranks know the file, whatever they call it; itself if that cannot be told.
std::string canonical_path(std::string const& path);

// Another one each time, in each process.
std::uint64_t random_name();
// Of the hidden file beside `path`.
std::string pointer_path(std::string const& path, std::uint64_t name);
// False if it is known that no file can be made beside this one.
bool takes_files(std::string const& path);

}  // namespace argosy::detail
