// Codecs for tests of checkpoints, and numbers to encode.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <argosy/format/zarr_codec.hpp>

namespace argosy::test {

using codecs = std::vector<zarr_codec>;

// Lists of codecs that this build has. Without any library there is crc32c.
inline std::vector<codecs> all_codecs() {
  using c = zarr_codec;
  std::vector<codecs> all;
  for (codecs const& some :
       {codecs{c::crc32c()}, codecs{c::zstd(1)}, codecs{c::gzip(1)}, codecs{c::blosc("lz4", 5)},
        codecs{c::zstd(-5, true), c::crc32c()}, codecs{c::gzip(0), c::zstd(3), c::crc32c()}})
    if (std::ranges::all_of(some, [](c const& one) { return one.is_available(); }))
      all.push_back(some);
  return all;
}

// Numbers of which some are hard to compress.
inline std::int64_t number_at(std::int64_t i) {
  auto const n = static_cast<std::uint64_t>(i);
  return i % 7 == 0 ? static_cast<std::int64_t>(n * 0x9e3779b97f4a7c15u) : i / 100;
}

}  // namespace argosy::test
