// A filter of a chunked dataset of an HDF5 file: one step from the bytes of a chunk to those in the
// file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace argosy {

// One step of the encoding of a chunk. A regular value. All its functions are local.
//
//   io::hdf5_options{.chunks = {64, 64},
//                    .filters = {io::hdf5_filter::shuffle(), io::hdf5_filter::deflate(4)}};
class hdf5_filter {
 public:
  // The filters that are known.
  enum class kind { shuffle, deflate, zstd, fletcher32 };

  // Returns the step that stores first bytes of all elements, then second bytes, and further ones.
  // Numbers that change slowly become smaller by a compression behind it.
  static hdf5_filter shuffle() { return hdf5_filter(kind::shuffle, 0); }
  // Returns compression by zlib, with a level from 0 to 9. All programs with HDF5 can read it.
  static hdf5_filter deflate(int level = 4) { return hdf5_filter(kind::deflate, level); }
  // Returns compression by Zstandard, with a level from 1 to 22. Programs need a plugin to read it,
  // such as the Python package hdf5plugin.
  static hdf5_filter zstd(int level = 3) { return hdf5_filter(kind::zstd, level); }
  // Returns a checksum of 4 bytes. A chunk with another sum is damaged.
  static hdf5_filter fletcher32() { return hdf5_filter(kind::fletcher32, 0); }

  kind what() const noexcept { return what_; }
  // Returns the name of the filter: "deflate".
  std::string_view name() const noexcept;
  int level() const noexcept { return level_; }
  // Returns true if this build of the library has the filter. Zlib and libzstd are optional.
  bool is_available() const noexcept;

  friend bool operator==(hdf5_filter const&, hdf5_filter const&) = default;

 private:
  hdf5_filter(kind what, int level) : what_(what), level_(level) {}

  kind what_;
  int level_;
};

}  // namespace argosy
