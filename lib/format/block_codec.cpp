// Implements block_codec.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "block_codec.hpp"

#include <utility>

#include "zarr/codec_settings.hpp"

namespace argosy::detail {

chunk_codec codec_of_blocks(checkpoint_header const& h, std::int64_t element_bytes) {
  zarr_header bytes;
  bytes.type.kind = 'u';
  bytes.type.bytes = 1;
  bytes.options.chunks = {h.block_bytes};
  for (zarr_codec c : h.codecs) {
    complete_codec(c, element_bytes);
    bytes.options.codecs.push_back(std::move(c));
  }
  return chunk_codec(bytes);
}

int threads_for_blocks(checkpoint_header const& h, std::size_t blocks, int threads) noexcept {
  constexpr std::int64_t least_bytes = 256 << 10;
  return static_cast<std::int64_t>(blocks) * h.block_bytes < least_bytes ? 1 : threads;
}

}  // namespace argosy::detail
