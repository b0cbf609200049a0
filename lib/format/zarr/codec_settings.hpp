// Checks the settings of codecs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/error/failure.hpp>
#include <argosy/format/zarr_codec.hpp>

namespace argosy::detail {

// Checks the settings of a codec, and that this build has it. Fills in the size of an item for
// Blosc, if that is left out.
failure complete_codec(zarr_codec& c, std::int64_t element_bytes);

}  // namespace argosy::detail
