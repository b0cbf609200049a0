// The header of a checkpoint: the places of the arrays in the file, and of the checksums of their
// blocks.
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
#include <argosy/format/zarr_codec.hpp>

namespace argosy {

namespace detail {

struct checkpoint_array {
  std::string name;
  dtype type = {};
  argosy::order order = argosy::order::c;
  std::vector<std::int64_t> shape = {};  // empty: one element
  // The place of the data in the file. In a file with codecs it is the place among the decoded
  // blocks of all arrays, each of which has room for a whole block.
  std::int64_t offset = 0;
  // The place of the checksums in the file: for each block the CRC-32 of zlib, 4 bytes,
  // little-endian. In a file with codecs it is the place of the array's table. That has for each
  // block the place of the encoded bytes, 8 bytes, their number, 4 bytes, and the CRC-32 of the
  // decoded block.
  std::int64_t sums = 0;

  // Returns the bytes of the data; -1 if the number is beyond 2^63. Headers that were read from a
  // file have no such array.
  std::int64_t bytes() const;
  friend bool operator==(checkpoint_array const&, checkpoint_array const&) = default;
};

}  // namespace detail

// The content of a checkpoint's header. A regular value. All its functions are local. The file
// begins with 0x93 "ARGOSY" and the version, 1, or 2 if it has codecs. Then come the length of the
// text and its CRC-32, 4 bytes each, little-endian, and the text, which Python's ast.literal_eval
// reads. Arrays and checksums follow at the places that the text gives.
struct checkpoint_header {
  // Bytes of data under one checksum. The last block of an array may be shorter.
  std::int64_t block_bytes = std::int64_t{1} << 20;
  std::int64_t file_bytes = 0;
  std::vector<detail::checkpoint_array> arrays = {};
  // The steps of the encoding of a block, in their order. A header that was read has their names
  // only, without levels.
  std::vector<zarr_codec> codecs = {};

  // Returns the array of this name, or null if there is none.
  detail::checkpoint_array const* find(std::string_view name) const;
  // Returns the number of blocks of an array.
  std::int64_t blocks(detail::checkpoint_array const& a) const {
    return (a.bytes() + block_bytes - 1) / block_bytes;
  }
  friend bool operator==(checkpoint_header const&, checkpoint_header const&) = default;
};

// Returns a line for each array: name, type, shape, place. Local.
std::string to_string(checkpoint_header const& h);

namespace detail {

// Returns the size of the header, from the first 16 bytes of the file. Sets `why` and returns
// nothing if the file is not a checkpoint.
std::optional<std::int64_t> checkpoint_header_bytes(std::span<std::byte const> start, failure& why);
// Parses the start of a file with at least the bytes of the header. If the header is invalid, sets
// `why` to errc::damaged and returns nothing. The content is not trusted: places must lie within
// file_bytes, one behind the other, and names must differ.
std::optional<checkpoint_header> parse_checkpoint_header(std::span<std::byte const> start,
                                                         failure& why);
// Returns the header as bytes, without padding before the first array. The second function gives
// the arrays their places, in their order, each at a multiple of 4096, and the file its size. With
// codecs that is the size before encoded blocks are appended.
std::vector<std::byte> checkpoint_header_of(checkpoint_header const& h);
void place_arrays(checkpoint_header& h);

// Encoded blocks are in memory as a whole, so they have at most 64 MiB.
inline constexpr std::int64_t least_encoded_block = 512;
inline constexpr std::int64_t most_encoded_block = std::int64_t{64} << 20;
inline constexpr std::size_t most_codecs = 8;
// The bytes of a block in the table of a file with codecs.
inline constexpr std::int64_t table_entry_bytes = 16;
// Returns the bytes of a block of an array; the last one may be shorter.
std::int64_t bytes_of_block(checkpoint_header const& h, checkpoint_array const& a,
                            std::int64_t block);
// Return "zstd, crc32c", and text by which ranks compare all settings.
std::string codec_names(std::vector<zarr_codec> const& all);
std::string codec_settings(std::vector<zarr_codec> const& all);

}  // namespace detail
}  // namespace argosy
