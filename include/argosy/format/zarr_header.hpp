// The metadata of a Zarr array: shape, type, chunks, shards, codecs, names and attributes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/format/dtype.hpp>
#include <argosy/format/zarr_codec.hpp>

namespace argosy {

// The choices for a new Zarr array. All may be left out. A regular value.
//
//   io::zarr_options how{.chunks = {64, 64}, .shards = {512, 512},
//                        .codecs = {io::zarr_codec::zstd()}, .dimension_names = {"y", "x"}};
struct zarr_options {
  // The elements of a chunk along each dimension. A reader decodes whole chunks. If left out,
  // chunks have about 1 MiB.
  std::vector<std::int64_t> chunks = {};
  // The elements of a shard along each dimension, multiples of those of a chunk. A shard is one
  // file, and one rank writes it at a time. If left out, each chunk is a file.
  std::vector<std::int64_t> shards = {};
  std::vector<zarr_codec> codecs = {};  // the steps of the encoding of a chunk, in their order
  // The value of elements that were never written, as JSON has it: "1.5", "NaN", "true", "[0, 1]".
  // If left out, it is zero.
  std::string fill_value = {};
  // If false, chunks and shards that have the fill value only are left out of the store. The
  // metadata does not say this, so it holds until the array is closed.
  bool write_empty_chunks = false;
  std::vector<std::string> dimension_names = {};  // one for each dimension, or none
  std::string attributes = {};  // a JSON object, such as {"units": "K"}; empty: none
  char separator = '/';         // between the numbers in names of chunks: '/' or '.'
  // Names of chunks are those of version 2, "0/1" instead of "c/0/1".
  bool version_2_names = false;
  bool index_at_start = false;  // the index of a shard stands before its chunks
  bool index_checksum = true;   // the index of a shard has a checksum (crc32c)

  friend bool operator==(zarr_options const&, zarr_options const&) = default;
};

// The metadata of a Zarr array. A regular value.
struct zarr_header {
  std::vector<std::int64_t> shape = {};
  extend::dtype type = {};  // in the byte order of this machine
  zarr_options options = {};
  int version = 3;  // the version of the format; arrays of version 2 can be read only

  friend bool operator==(zarr_header const&, zarr_header const&) = default;
};

// Returns "'<f8' (512, 512), chunks (64, 64), zstd". Local.
std::string to_string(zarr_header const& h);

namespace detail {

// Larger metadata is refused.
inline constexpr std::size_t most_zarr_json = std::size_t{16} << 20;
inline constexpr std::size_t most_zarr_dimensions = 8;

// Parses the zarr.json of an array, or the .zarray of version 2 with its attributes in it
// (read_zarr_metadata). If it is invalid, or uses what this library does not read, sets `why` and
// returns nothing. Invalid metadata is errc::damaged, and unknown one errc::unsupported.
std::optional<zarr_header> parse_zarr_header(std::string_view json, failure& why);
// Returns the zarr.json of an array. The header must be complete, and of version 3.
std::string zarr_json_of(zarr_header const& h);
// Returns the zarr.json of a group. Sets `why` if the attributes are no JSON object.
std::string zarr_group_json(std::string const& attributes, failure& why);

// Fills in what the options leave out, and checks them. Returns a failure if an array cannot have
// them.
failure complete(zarr_header& h);
// Returns one element that has the fill value, in this machine's order. Precondition: the header is
// complete.
std::vector<std::byte> fill_element(zarr_header const& h);

}  // namespace detail
}  // namespace argosy
