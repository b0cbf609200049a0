// Encodes and decodes chunks of a Zarr array.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <argosy/format/zarr_header.hpp>

namespace argosy::detail {

// Memory of a chunk between two steps. Each thread needs its own.
struct codec_space {
  std::vector<std::byte> first, second;
};

// The time of one thread for a byte of a chunk, in nanoseconds; measured in docs/develop/prices.md.
struct codec_prices {
  double encode_ns = 0, decode_ns = 0;
};
codec_prices prices_of(zarr_header const& h) noexcept;

class chunk_codec {
 public:
  chunk_codec() = default;
  // Precondition: complete() accepts the header.
  explicit chunk_codec(zarr_header const& h);

  std::int64_t chunk_bytes() const noexcept { return chunk_bytes_; }
  // Returns the most bytes that an encoded chunk may have. Longer ones are damaged.
  std::int64_t most_encoded_bytes() const noexcept { return most_encoded_; }
  // Returns the most memory that the encoding of a chunk needs in its `space`.
  std::int64_t most_space_bytes() const noexcept;
  // Returns true if encoded chunks are the chunks themselves.
  bool is_plain() const noexcept { return in_order_ && !swapped_ && steps_.empty(); }

  // Decodes into a chunk. Returns false and sets `why` if the bytes are none of a chunk.
  bool decode(std::span<std::byte const> encoded, std::span<std::byte> chunk, codec_space& space,
              std::string& why) const;
  // Encodes a chunk. The result is in `space`, or the chunk itself. Throws std::runtime_error if
  // the library of a codec fails.
  std::span<std::byte const> encode(std::span<std::byte const> chunk, codec_space& space) const;

 private:
  void arrange(std::byte const* from, std::byte* to, bool storing) const;

  std::int64_t chunk_bytes_ = 0, item_bytes_ = 1, swap_bytes_ = 1, most_encoded_ = 0;
  std::vector<zarr_codec> steps_;     // from bytes to bytes
  std::vector<std::int64_t> most_;    // bytes before each step, at most
  std::vector<std::int64_t> count_;   // items along the dimensions as they are stored
  std::vector<std::int64_t> stride_;  // their steps in the chunk, in bytes
  bool in_order_ = true;              // stored like the chunk
  bool swapped_ = false;              // stored in the other byte order
};

}  // namespace argosy::detail
