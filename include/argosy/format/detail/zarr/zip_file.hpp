// The parts of a zip file with stored entries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy::detail {

// One file in a zip file. Numbers of 2^32 - 1 and more are written in the form of ZIP64.
struct zip_entry {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;  // the place of its header in the zip file
  std::uint32_t crc = 0;
  friend bool operator==(zip_entry const&, zip_entry const&) = default;
};

// Returns the header that stands before the bytes of an entry, and its size.
std::string zip_header(zip_entry const& e);
std::int64_t zip_header_bytes(zip_entry const& e);
// Returns the line of an entry in the directory at the end. Its size does not depend on the CRC.
std::string zip_line(zip_entry const& e);
// Returns what stands behind the directory.
std::string zip_end(std::int64_t entries, std::int64_t directory_at, std::int64_t directory_bytes);

// The place of the directory in a zip file.
struct zip_directory {
  std::int64_t offset = 0, bytes = 0, entries = 0;
};
inline constexpr std::int64_t longest_zip_end = 22 + 65535 + 20 + 56;
// Finds the directory in the last bytes of a zip file of `size` bytes. Gives as many as there are,
// at most longest_zip_end. Returns a failure if it is none.
failure find_zip_directory(std::span<std::byte const> end, std::int64_t size, zip_directory& into);
// Parses the directory. Returns a failure if it is damaged, or if an entry is compressed.
failure parse_zip_directory(std::span<std::byte const> bytes, zip_directory const& of,
                            std::vector<zip_entry>& into);

// Lists the files below a directory, without unfinished ones, sorted by name. Local.
failure files_below(opener const& files, std::string const& directory,
                    std::vector<std::string>& into);
// Returns names as one text and back.
std::string joined_names(std::vector<std::string> const& names);
std::vector<std::string> split_names(std::string_view text);

// Sets the names and sizes of this rank's share of the entries, and the bytes that they need in the
// zip file. Local.
failure share_of_entries(opener const& files, std::string const& directory, std::string_view names,
                         std::int64_t rank, std::int64_t ranks, std::vector<zip_entry>& into,
                         std::int64_t& bytes);
// Copies a file into a zip file by `write(offset, bytes)`, with its header, and sets its CRC.
failure copy_entry(opener const& files, std::string const& directory, zip_entry& e,
                   std::function<void(std::int64_t, std::span<std::byte const>)> const& write);
// Returns a failure if there is a file of this name that is no zip file.
failure replaceable_zip(opener const& files, std::string const& path);

}  // namespace argosy::detail
