// What opening a file needs beside the world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/file/file_hints.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// By hint, or by ARGOSY_DEVELOP=1 in the environment.
bool wants_develop(file_hints const& h);

// Another one each time, in each process.
std::uint64_t random_name();
// Of the hidden file beside `path`.
std::string pointer_path(std::string const& path, std::uint64_t name);
// False if it is known that no file can be made beside this one.
bool takes_files(std::string const& path);

}  // namespace argosy::detail
