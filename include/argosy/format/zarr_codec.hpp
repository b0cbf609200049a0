// A codec of a Zarr array: one step from the numbers of a chunk to its bytes in the store.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
  // all others make bytes of bytes.
  enum class kind { bytes, transpose, gzip, zstd, crc32c };

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

  kind what() const noexcept { return what_; }
  // Returns the name in the metadata: "gzip".
  std::string_view name() const noexcept;
  int level() const noexcept { return level_; }
  bool checksum() const noexcept { return checksum_; }
  bool big_endian() const noexcept { return big_endian_; }
  // Returns the order of a transposition. Valid until the codec is destroyed or assigned to.
  std::vector<int> const& order() const noexcept { return order_; }

  // Returns true if this build of the library has the codec. Zlib and libzstd are optional.
  bool is_available() const noexcept;

  friend bool operator==(zarr_codec const&, zarr_codec const&) = default;

 private:
  explicit zarr_codec(kind what, int level = 0) : what_(what), level_(level) {}

  kind what_;
  int level_ = 0;
  bool checksum_ = false;
  bool big_endian_ = false;
  std::vector<int> order_;
};

}  // namespace argosy
