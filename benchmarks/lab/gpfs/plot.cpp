// Implements plot.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "../../support/chart.hpp"

namespace shapes {

std::string plot(std::string const& experiment, std::string const& title,
                 std::vector<row> const& rows) {
  std::vector<bench::line_panel> panels{{"write, MB/s", {}}, {"read, MB/s", {}}};
  std::set<int> ranks;
  for (row const& r : rows) {
    if (r.experiment != experiment) continue;
    ranks.insert(r.ranks);
    // Both panels have a line for each setting, in the same colour.
    for (bench::line_panel& p : panels) {
      auto const same = [&](bench::series const& s) { return s.name == r.setting; };
      if (std::none_of(p.lines.begin(), p.lines.end(), same))
        p.lines.push_back({r.setting, {}, p.lines.size()});
    }
    for (bench::series& s : panels[r.op == "read" ? 1 : 0].lines)
      if (s.name == r.setting) s.points.push_back({std::log2(r.ranks), r.mb_per_s});
  }
  std::vector<bench::tick> ticks;
  for (int const n : ranks) ticks.push_back({std::log2(n), std::to_string(n)});
  for (bench::line_panel& p : panels)
    for (bench::series& s : p.lines)
      std::sort(s.points.begin(), s.points.end(),
                [](auto const& a, auto const& b) { return a.place < b.place; });
  return bench::line_chart(title, "ranks", ticks, panels);
}

}  // namespace shapes
