// A codec of a Zarr array: one step from the numbers of a chunk to its bytes in the store.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace argosy {

// One step of the encoding of a chunk. A regular value. All its functions are local.
//
//   io::zarr_options{.codecs = {io::zarr_codec::zstd(3)}};
// If a list does not name the step from numbers to bytes, they are little-endian.
class zarr_codec {
 public:
  // The steps that are known. `transpose` reorders dimensions, `bytes` makes bytes of numbers, and
  // all others make bytes of bytes. Only arrays of version 2 of the format have `zlib`.
  enum class kind { bytes, transpose, gzip, zstd, crc32c, blosc, zlib };
  // The order in which Blosc compresses bytes of numbers: as they are, all first bytes of the
  // numbers first, or all first bits first.
  enum class shuffle { none, bytes, bits };

  // Returns the step from numbers to bytes, in one of the two byte orders.
  static zarr_codec bytes(bool big_endian = false) {
    zarr_codec c(kind::bytes);
    c.big_endian_ = big_endian;
    return c;
  }
  // Returns a step that stores dimension order[0] first, then order[1], and further ones.
  static zarr_codec transpose(std::vector<int> order) {
    zarr_codec c(kind::transpose);
    c.order_ = std::move(order);
    return c;
  }
  // Returns compression by zlib, with a level from 0 to 9.
  static zarr_codec gzip(int level = 5) { return zarr_codec(kind::gzip, level); }
  // Returns compression by Zstandard, with a level from -131072 to 22. With `checksum`, Zstandard
  // adds a checksum of its own.
  static zarr_codec zstd(int level = 3, bool checksum = false) {
    zarr_codec c(kind::zstd, level);
    c.checksum_ = checksum;
    return c;
  }
  // Returns a checksum of 4 bytes behind the others. A chunk with another sum is damaged.
  static zarr_codec crc32c() { return zarr_codec(kind::crc32c); }

  // Returns compression by Blosc, with a level from 0 to 9. Compressors are "blosclz", "lz4",
  // "lz4hc", "zlib" and "zstd", as far as the Blosc of this build has them. If item_bytes is 0, it
  // is the size of an element. If block_bytes is 0, Blosc chooses the size of its blocks.
  static zarr_codec blosc(std::string compressor = "zstd", int level = 5,
                          shuffle how = shuffle::bytes, int item_bytes = 0,
                          std::int64_t block_bytes = 0) {
    zarr_codec c(kind::blosc, level);
    c.compressor_ = std::move(compressor);
    c.shuffle_ = how;
    c.item_bytes_ = item_bytes;
    c.block_bytes_ = block_bytes;
    return c;
  }
  // Returns compression by zlib without the frame of gzip. Arrays of version 2 may have it. A new
  // array cannot, because version 3 has no such codec.
  static zarr_codec zlib(int level = 5) { return zarr_codec(kind::zlib, level); }

  kind what() const noexcept { return what_; }
  // Returns the name in the metadata: "gzip".
  std::string_view name() const noexcept;
  int level() const noexcept { return level_; }
  bool checksum() const noexcept { return checksum_; }
  bool big_endian() const noexcept { return big_endian_; }
  // Returns the order of a transposition. Valid until the codec is destroyed or assigned to.
  std::vector<int> const& order() const noexcept { return order_; }
  // Returns the settings of Blosc. Valid until the codec is destroyed or assigned to.
  std::string const& compressor() const noexcept { return compressor_; }
  shuffle shuffling() const noexcept { return shuffle_; }
  int item_bytes() const noexcept { return item_bytes_; }
  std::int64_t block_bytes() const noexcept { return block_bytes_; }

  // Returns true if this build of the library has the codec. Zlib, libzstd and libblosc are
  // optional.
  bool is_available() const noexcept;

  friend bool operator==(zarr_codec const&, zarr_codec const&) = default;

 private:
  explicit zarr_codec(kind what, int level = 0) : what_(what), level_(level) {}

  kind what_;
  int level_ = 0;
  bool checksum_ = false;
  bool big_endian_ = false;
  std::vector<int> order_;
  std::string compressor_;
  shuffle shuffle_ = shuffle::none;
  int item_bytes_ = 0;
  std::int64_t block_bytes_ = 0;
};

}  // namespace argosy
