// A picture of an array and its owners: which rank has which element.
// The picture is SVG; link argosy::argosy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <argosy/layout/layout.hpp>

namespace argosy {

struct draw_owners_options {
  std::string title{};  // default: sizes and number of ranks
  int most_slices = 8;  // of a 3-D array, evenly chosen
  int most_cells = 64;  // along each side; longer sides are drawn in blocks of elements
  int width_px = 960;
};

// One layout per rank, all within one array of `sizes` elements in C order: 1, 2 or 3 dimensions,
// slices along the first. A cell has the colour of the rank that has most of it; a hatched one is
// claimed by several ranks, a pale one by none. Costs O(cells x ranks), whatever the number of
// pieces. Throws invalid_layout for other numbers of dimensions. Local.
std::string draw_owners(std::span<layout const> owners, std::span<std::int64_t const> sizes,
                        std::int64_t element_bytes, draw_owners_options const& options = {});

}  // namespace argosy
