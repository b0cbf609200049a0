// Implements codec_settings.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "codec_settings.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "compression.hpp"

namespace argosy::detail {

namespace {

failure wrong(std::string words, std::string advice = {}) {
  return {errc::argument, std::move(words), std::move(advice)};
}

// Fills in the size of an item, and checks the settings of Blosc.
failure complete_blosc(zarr_codec& c, std::int64_t element_bytes) {
  constexpr std::array known = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
  if (std::ranges::find(known, c.compressor()) == known.end())
    return wrong("Blosc has no compressor '" + c.compressor() + "'", "give lz4 or zstd");
  if (c.level() < 0 || c.level() > 9) return wrong("blosc has the levels 0 to 9");
  if (c.item_bytes() < 0 || c.block_bytes() < 0 ||
      c.block_bytes() > std::numeric_limits<int>::max())
    return wrong("a size of blosc is out of range");
  if (c.item_bytes() == 0)
    c = zarr_codec::blosc(c.compressor(), c.level(), c.shuffling(), static_cast<int>(element_bytes),
                          c.block_bytes());
  if (!c.is_available() || has_blosc_compressor(c.compressor())) return {};
  return {errc::unsupported, "the Blosc of this build has no compressor '" + c.compressor() + "'",
          "use lz4 or zstd"};
}

// Returns Debian's name of the library of a codec.
std::string package_of(zarr_codec::kind k) {
  if (k == zarr_codec::kind::blosc) return "libblosc-dev";
  return k == zarr_codec::kind::zstd ? "libzstd-dev" : "zlib1g-dev";
}

}  // namespace

failure complete_codec(zarr_codec& c, std::int64_t element_bytes) {
  using kind = zarr_codec::kind;
  if (c.what() == kind::gzip && (c.level() < 0 || c.level() > 9))
    return wrong("gzip has the levels 0 to 9");
  if (c.what() == kind::zstd && (c.level() < -131072 || c.level() > 22))
    return wrong("zstd has the levels -131072 to 22");
  if (c.what() == kind::blosc)
    if (failure f = complete_blosc(c, element_bytes)) return f;
  if (c.is_available()) return {};
  return {errc::unsupported,
          "this build of the library has no codec '" + std::string(c.name()) + "'",
          "install " + package_of(c.what()) + " and build the library again"};
}

}  // namespace argosy::detail
