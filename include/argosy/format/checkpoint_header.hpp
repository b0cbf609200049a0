// The header of a checkpoint: which arrays lie where in the file, and where the checksums of their
// blocks are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/datatype/order.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/format/dtype.hpp>

namespace argosy {

namespace detail {

struct checkpoint_array {
  std::string name;
  dtype type = {};
  argosy::order order = argosy::order::c;
  std::vector<std::int64_t> shape = {};  // empty: one element
  std::int64_t offset = 0;               // of the data in the file
  // of the checksums in the file: for each block the CRC-32 of zlib, 4 bytes, little-endian
  std::int64_t sums = 0;

  // of the data; parse_checkpoint_header gives none for which this overflows
  std::int64_t bytes() const;
  friend bool operator==(checkpoint_array const&, checkpoint_array const&) = default;
};

}  // namespace detail

// A regular value. Local, as all functions of it. The file: 0x93 "ARGOSY" and the version, 1; the
// length of the text and its CRC-32, 4 bytes each, little-endian; the text, which Python's
// ast.literal_eval reads; then arrays and checksums where the text says.
struct checkpoint_header {
  // of data under one checksum; the last block of an array may be
  std::int64_t block_bytes = std::int64_t{1}  // shorter
                             << 20;
  std::int64_t file_bytes = 0;
  std::vector<detail::checkpoint_array> arrays = {};

  // Null if there is none of this name.
  detail::checkpoint_array const* find(std::string_view name) const;
  std::int64_t blocks(detail::checkpoint_array const& a) const {
    return (a.bytes() + block_bytes - 1) / block_bytes;
  }
  friend bool operator==(checkpoint_header const&, checkpoint_header const&) = default;
};

// A line for each array: name, type, shape, place.
std::string to_string(checkpoint_header const& h);

namespace detail {

// How many bytes of the file's start the header has, told by the first 16 of them; none and a
// failure where this is no checkpoint.
std::optional<std::int64_t> checkpoint_header_bytes(std::span<std::byte const> start, failure& why);
// Of the file's start, as many bytes as that or more. Trusts nothing: places must lie in the file,
// one behind the other.
std::optional<checkpoint_header> parse_checkpoint_header(std::span<std::byte const> start,
                                                         failure& why);
// The header as bytes, without what fills the file up to the first array. The second one gives
// arrays their places, in their order, each at a multiple of 4096, and the file its size.
std::vector<std::byte> checkpoint_header_of(checkpoint_header const& h);
void place_arrays(checkpoint_header& h);

}  // namespace detail
}  // namespace argosy
