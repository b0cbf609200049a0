// The header of a .npy file: what NumPy says of the array behind it.
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

// A regular value. Local, as all functions of it.
struct npy_header {
  int version = 1;  // 1 to 3
  dtype type = {};
  argosy::order order = argosy::order::c;
  std::vector<std::int64_t> shape = {};  // empty: one element
  std::int64_t data_offset = 0;          // where the array begins in the file

  std::int64_t bytes() const;  // of the array; parse_npy_header gives none for which this overflows
  friend bool operator==(npy_header const&, npy_header const&) = default;
};

// "'<f8' (30, 20), Fortran order, from byte 4096 on"
std::string to_string(npy_header const& h);

namespace detail {

// How many bytes of the file's start the header has, told by the first 12 of them; none and a
// failure where this is no .npy file. Headers of more than 1 MiB are refused.
std::optional<std::int64_t> npy_header_bytes(std::span<std::byte const> start, failure& why);
// Of the file's start, as many bytes as that or more. None for what NumPy would not read, either:
// errc::damaged.
std::optional<npy_header> parse_npy_header(std::span<std::byte const> start, failure& why);

// The header as bytes, of the lowest version that can hold it, filled up so that the array begins
// at a multiple of 4096: a page for those who map it, and a block of most file systems.
std::vector<std::byte> npy_header_of(dtype const& type, order o,
                                     std::vector<std::int64_t> const& shape);

// Gives the new file of this name its first byte, which is 0 until then, so that nobody takes it
// for whole. `mine` is the file, if that is known, and `start` the header that it has. A failure if
// the writing of the array failed, or if another file has the name. Local.
failure complete_npy(opener const& files, std::string const& path,
                     std::optional<file_identity> const& mine, std::span<std::byte const> start,
                     bool write_failed);

}  // namespace detail
}  // namespace argosy
