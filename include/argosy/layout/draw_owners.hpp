// A picture of an array and its owners as SVG: which rank has which element. Needs argosy::argosy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <argosy/extend.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

namespace extend {

struct draw_owners_options {
  std::string title{};  // default: sizes and number of ranks
  int most_slices = 8;  // slices of a 3-D array, evenly chosen
  int most_cells = 64;  // along each side; longer sides are drawn in blocks of elements
  int width_px = 960;
};

}  // namespace extend

// Returns the picture of an array of `sizes` elements in C order, with one layout per rank. The
// array has 1, 2 or 3 dimensions; slices are along the first. A cell has the colour of the rank
// that has most of it. A hatched cell belongs to several ranks, a pale cell to none. Local. Throws
// invalid_layout for other numbers of dimensions, and if a size or `element_bytes` is not positive.
// Costs O(cells x ranks), independent of the number of pieces.
std::string draw_owners(std::span<layout const> owners, std::span<std::int64_t const> sizes,
                        std::int64_t element_bytes,
                        extend::draw_owners_options const& options = {});

}  // namespace argosy
