// The encoding of the blocks of a checkpoint, by the codecs of Zarr arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <argosy/format/checkpoint_header.hpp>

#include "zarr/chunk_codec.hpp"

namespace argosy::detail {

// Returns the codec of blocks with elements of this size. Precondition: fault_of_codecs() accepts
// the header.
chunk_codec codec_of_blocks(checkpoint_header const& h, std::int64_t element_bytes);
// Returns the threads for so many blocks: 1 if they are encoded faster than a thread starts.
int threads_for_blocks(checkpoint_header const& h, std::size_t blocks, int threads) noexcept;

}  // namespace argosy::detail
