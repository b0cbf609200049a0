// A picture of a layout as SVG: its bytes in rows, its pieces in stream order. Needs
// argosy::argosy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <argosy/extend.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

namespace extend {

struct draw_options {
  std::string title{};  // default: the layout in one line
  // Bytes in a row. If 0, `draw` chooses, preferably the stride of the outermost repeat.
  std::int64_t row_bytes = 0;
  int most_rows = 24;  // later rows are not drawn, and the picture says so
  int width_px = 960;
};

}  // namespace extend

// Returns the picture from the lower to the upper bound, or further if the data goes further. Up to
// 400 pieces are drawn one by one. Their colours run from dark to light along the stream, and
// pieces are numbered if there is room. More pieces are counted, and each cell is as dark as it is
// full. The size of the picture depends on rows and pixels, never on the number of pieces. Local.
std::string draw(layout const& l, extend::draw_options const& options = {});

}  // namespace argosy
