// The header of a file, read by one process. For tools that inspect files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/extend.hpp>
#include <argosy/file/on_error.hpp>
#include <argosy/format/checkpoint_header.hpp>
#include <argosy/format/npy_header.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy {

using file_header = std::variant<npy_header, checkpoint_header>;

// Returns the header of a file. Local. Reads only the header and the size of the file. Throws
// errc::damaged if the file is neither .npy nor a checkpoint, or if its header is not whole. Also
// thrown if the file is shorter than its header says. If an error is reported by std::error_code,
// the result is an npy_header with default values.
//   io::file_header h = io::read_header("u.npy");
//   if (auto* npy = std::get_if<io::npy_header>(&h)) std::cout << to_string(*npy);
file_header read_header(std::string const& path, on_error e = {},
                        opener const& files = posix_opener());

namespace extend {

// A block with other bytes than those that were written.
struct damaged_block {
  std::string array;
  std::int64_t block = 0;
  std::int64_t offset = 0, bytes = 0;  // in the file
};

}  // namespace extend

// Returns the place of each damaged block of a checkpoint; empty if all are whole. Local. Throws
// errc::damaged if the header is damaged, if the file is too short, or if it is a .npy file, which
// has no checksums. Reads the whole checkpoint.
std::vector<extend::damaged_block> find_damage(std::string const& path, on_error e = {},
                                               opener const& files = posix_opener());

}  // namespace argosy
