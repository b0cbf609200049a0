// A layout as bytes. A rank can evaluate another rank's view from them instead of receiving lists
// of offsets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <argosy/layout/layout.hpp>

namespace argosy {

// Returns the normal form and the bounds as bytes. They are the same on every machine and start
// with a version. Local. Costs O(own size): a regular layout takes some 10 to 60 bytes, a table
// about its own numbers.
std::vector<std::byte> serialize(layout const& l);

// Returns a layout equal to the one that `serialize` wrote, with the same nodes. Local. The bytes
// are not trusted. Throws invalid_layout if they are truncated, changed or not a normal form.
// Memory stays proportional to the number of bytes.
layout deserialize(std::span<std::byte const> bytes);

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/layout/detail/serialize.hpp>
#endif
