// Charts on a sheet of SVG: lines over places of an axis, groups of bars, and bars of shares.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct point {
  double place, value;   // values that are not positive are left out
  double deviation = 0;  // drawn above and below the value
  bool hollow = false;
};
struct series {
  std::string name;  // name in the legend; empty: not in it
  std::vector<point> points;
  std::size_t colour = 0;
  int dashes = 0;    // 0: a solid line; other numbers: dashes, different for each number
  double width = 2;  // width of the line; 0: no line
  double mark = 6;   // side of the squares; 0: no squares
};
struct tick {
  double place;
  std::string name;
};
struct line_panel {
  std::string up;
  std::vector<series> lines;
};
// Returns adjacent panels, with values on a logarithmic axis of whole decades that covers all of
// them. The legend is that of the first panel.
std::string line_chart(std::string const& title, std::string const& across,
                       std::vector<tick> const& ticks, std::vector<line_panel> const& panels);

// A group of bars for each name, with a bar for each of `bars`. The place of a missing value is
// empty.
struct bar_panel {
  std::string title;
  std::vector<std::vector<std::optional<double>>> values;  // [group][bar]
};
std::string bar_chart(std::string const& title, std::string const& up,
                      std::vector<std::string> const& groups, std::vector<std::string> const& bars,
                      std::vector<bar_panel> const& bar_panels);

// A horizontal bar for each row, cut into parts that have the same meaning in all rows. `note`
// stands behind it.
struct share_row {
  std::string name;
  std::vector<double> parts;
  std::string note;
};
std::string share_chart(std::string const& title, std::vector<std::string> const& parts,
                        std::vector<share_row> const& rows);

}  // namespace bench
