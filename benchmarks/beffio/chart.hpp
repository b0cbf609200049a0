// Charts on a sheet of SVG: lines over places of an axis, bars side by side, and bars of shares.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace beffio {

struct series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // place, value; values that are not positive are left out
  std::size_t colour = 0;
  int style = 0;  // 0: as it is; others: dashed, one unlike the other
};
struct tick {
  double place;
  std::string name;
};
// Values on a logarithmic axis, with decades around them.
std::string line_chart(std::string const& title, std::string const& across, std::string const& up,
                       std::vector<tick> const& ticks, std::vector<series> const& lines);

// A group of bars for each name, a bar in it for each of `bars`. Missing values leave their place empty.
struct panel {
  std::string title;
  std::vector<std::vector<std::optional<double>>> values;  // [group][bar]
};
std::string bar_chart(std::string const& title, std::string const& up, std::vector<std::string> const& groups,
                      std::vector<std::string> const& bars, std::vector<panel> const& panels);

// A horizontal bar for each row, cut into parts of the same meaning. `note` stands behind it.
struct share_row {
  std::string name;
  std::vector<double> parts;
  std::string note;
};
std::string share_chart(std::string const& title, std::vector<std::string> const& parts,
                        std::vector<share_row> const& rows);

}  // namespace beffio
