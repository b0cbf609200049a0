// A picture of a layout: its bytes in rows, its pieces in stream order.
// The picture is SVG; link argosy::argosy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <argosy/layout/layout.hpp>

namespace argosy {

struct draw_options {
  std::string title{};  // default: the layout in one line
  // bytes in a row; 0: chosen, at best the stride of the outermost repeat
  std::int64_t row_bytes = 0;
  int most_rows = 24;  // later rows are not drawn, and the picture says so
  int width_px = 960;
};

// Draws from the lower to the upper bound, or further where the data goes further. Up to 400 pieces
// are drawn one by one: the stream runs from dark to light, and pieces are numbered where there is
// room. More are counted: each cell is as dark as it is full. Its size depends on rows and pixels,
// never on the number of pieces. Local.
std::string draw(layout const& l, draw_options const& options = {});

}  // namespace argosy
