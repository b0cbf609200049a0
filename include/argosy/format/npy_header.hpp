// The header of a .npy file: NumPy's description of the array behind it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <argosy/datatype/order.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/format/dtype.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy {

// The content of a .npy file's header. A regular value. All its functions are local.
struct npy_header {
  int version = 1;  // 1 to 3
  extend::dtype type = {};
  argosy::order order = argosy::order::c;
  std::vector<std::int64_t> shape = {};  // empty: one element
  std::int64_t data_offset = 0;          // start of the array in the file

  // Returns the bytes of the array; -1 if the number is beyond 2^63. Headers that were read from a
  // file have no such array.
  std::int64_t bytes() const;
  friend bool operator==(npy_header const&, npy_header const&) = default;
};

// Returns "'<f8' (30, 20), Fortran order, from byte 4096 on". Local.
std::string to_string(npy_header const& h);

namespace detail {

// Returns the size of the header, from the first 12 bytes of the file. Sets `why` and returns
// nothing if this is no .npy file. Headers of more than 1 MiB are refused.
std::optional<std::int64_t> npy_header_bytes(std::span<std::byte const> start, failure& why);
// Parses the start of a file with at least the bytes of the header. If the header is invalid, sets
// `why` to errc::damaged and returns nothing.
std::optional<npy_header> parse_npy_header(std::span<std::byte const> start, failure& why);

// Returns the header as bytes, in the lowest version that can hold it. It is padded so that the
// array begins at a multiple of 4096. That is a page for programs that map it, and a block of most
// file systems.
std::vector<std::byte> npy_header_of(dtype const& type, order o,
                                     std::vector<std::int64_t> const& shape);

// Writes the first byte of a new file, which is 0 until then, so that an unfinished file is not
// mistaken for a whole one. The identity of the file is `mine`, if known, and `start` is its
// header. Returns a failure if the write of the array failed, or if another file has the name.
// Local.
failure complete_npy(opener const& files, std::string const& path,
                     std::optional<file_identity> const& mine, std::span<std::byte const> start,
                     bool write_failed);

}  // namespace detail
}  // namespace argosy
