// Helpers for opening a file that need no world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/file/file_hints.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// Returns true if develop mode is on, by hint or by ARGOSY_DEVELOP=1 (or on, true).
bool wants_develop(file_hints const& h);

// Returns the path without the prefix that names the file system for other MPI-IO libraries, as in
// "ufs:data". The path is unchanged if a file of that name exists. `basic_file::open` calls this,
// and so does all other code that uses a path of the program.
std::string without_prefix(std::string const& path);

// The facts by which ranks compare a file that they call by different paths. Lasting facts do not
// change while others write to the file: inode, file system, and time of birth. If a node cannot
// get the time of birth, size and time of the last change are compared. That is right only while
// the file is not written.
enum class facts { lasting, momentary };
// Returns a number that is equal for two paths of the same file, also on different nodes. If there
// is no file yet, it is equal for the same place. If this system knows nothing of the path, its
// text is used.
std::uint64_t place_of(std::string const& path, facts compared);
// Returns one path for all names of a file; `path` itself if this cannot be found out.
std::string canonical_path(std::string const& path);

// Returns a number that differs from call to call and from process to process.
std::uint64_t random_name();
// Returns the path of the hidden file next to `path`.
std::string pointer_path(std::string const& path, std::uint64_t name);
// Returns false if it is known that no file can be created next to this one.
bool takes_files(std::string const& path);

}  // namespace argosy::detail
