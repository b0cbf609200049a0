// A layout as bytes, so that one rank can evaluate another rank's view instead of receiving lists
// of offsets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <argosy/layout/layout.hpp>

namespace argosy {

// The normal form and the bounds, in O(own size): a regular layout takes some 10 to 60 bytes, a
// table about its own numbers. The bytes are the same on every machine and start with a version.
// Local.
std::vector<std::byte> serialize(layout const& l);

// Reads back what `serialize` wrote: equal, and built of the same nodes. The bytes are not trusted:
// whatever is truncated, changed or no normal form throws invalid_layout, and memory stays
// proportional to the bytes given. Local.
layout deserialize(std::span<std::byte const> bytes);

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/layout/detail/serialize.hpp>
#endif
