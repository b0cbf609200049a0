// Charts on a sheet of SVG: lines over places of an axis, bars side by side, and bars of shares.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct point {
  double place, value;   // values that are not positive are left out
  double deviation = 0;  // above and below it
  bool hollow = false;
};
struct series {
  std::string name;  // in the legend; empty: it is not there
  std::vector<point> points;
  std::size_t colour = 0;
  int dashes = 0;    // 0: none; others: dashed, one unlike the other
  double width = 2;  // of the line; 0: there is none
  double mark = 6;   // side of the squares; 0: there are none
};
struct tick {
  double place;
  std::string name;
};
struct line_panel {
  std::string up;
  std::vector<series> lines;
};
// Panels side by side, with values on a logarithmic axis of whole decades around all of them. The
// legend is that of the first one.
std::string line_chart(std::string const& title, std::string const& across,
                       std::vector<tick> const& ticks, std::vector<line_panel> const& panels);

// A group of bars for each name, a bar in it for each of `bars`. Missing values leave their place
// empty.
struct bar_panel {
  std::string title;
  std::vector<std::vector<std::optional<double>>> values;  // [group][bar]
};
std::string bar_chart(std::string const& title, std::string const& up,
                      std::vector<std::string> const& groups, std::vector<std::string> const& bars,
                      std::vector<bar_panel> const& bar_panels);

// A horizontal bar for each row, cut into parts of the same meaning. `note` stands behind it.
struct share_row {
  std::string name;
  std::vector<double> parts;
  std::string note;
};
std::string share_chart(std::string const& title, std::vector<std::string> const& parts,
                        std::vector<share_row> const& rows);

}  // namespace bench
