// SPDX-License-Identifier: BSD-3-Clause
#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <layout/axis.hpp>
#include <layout/svg.hpp>

namespace shapes {

namespace {

namespace svg = argosy::detail;

// Where numbers between low and high lie on a line, by their logarithms.
struct axis {
  double low = 1, high = 10, from = 0, to = 1;
  double at(double x) const {
    return from + (to - from) * (high > low ? std::log(x / low) / std::log(high / low) : 0.5);
  }
};

}  // namespace

std::string plot(std::string const& experiment, std::string const& title, std::vector<row> const& rows) {
  constexpr double left = 60, top = 70, wide = 340, gap = 70, tall = 300, line_height = 18;
  std::vector<std::string> settings;
  std::vector<int> ranks;
  double low = std::numeric_limits<double>::max(), high = 0;
  for (row const& r : rows) {
    if (r.experiment != experiment) continue;
    if (std::find(settings.begin(), settings.end(), r.setting) == settings.end()) settings.push_back(r.setting);
    if (std::find(ranks.begin(), ranks.end(), r.ranks) == ranks.end()) ranks.push_back(r.ranks);
    low = std::min(low, r.mb_per_s);
    high = std::max(high, r.mb_per_s);
  }
  svg::svg_sheet sheet(left + 2 * wide + gap + 30);
  if (settings.empty()) return sheet.finish(top, title);
  std::sort(ranks.begin(), ranks.end());
  low = std::pow(10, std::floor(std::log10(low)));
  high = std::pow(10, std::ceil(std::log10(high) + 1e-9));
  sheet.text(left, 28, title, 16);
  for (std::string const op : {"write", "read"}) {
    double const x0 = left + (op == "read" ? wide + gap : 0);
    axis const across{static_cast<double>(ranks.front()), static_cast<double>(ranks.back()), x0 + 12, x0 + wide - 12};
    axis const up{low, high, top + tall, top};
    sheet.text(x0, top - 14, op + ", MB/s", 12);
    for (double decade = low; decade < high * 1.001; decade *= 10) {
      for (int k = 1; k < 10 && decade * k < high * 1.001; ++k)
        sheet.line(x0, up.at(decade * k), x0 + wide, up.at(decade * k), k == 1 ? svg::grid_grey : svg::pale);
      sheet.text(x0 - 6, up.at(decade) + 4, svg::short_number(decade), 11, "end");
    }
    for (int const n : ranks) sheet.text(across.at(n), top + tall + 18, std::to_string(n), 11, "middle");
    sheet.text(x0 + wide / 2, top + tall + 36, "ranks", 12, "middle");
    for (std::size_t s = 0; s < settings.size(); ++s) {
      svg::colour const colour = svg::colour_of_rank(s);
      row const* before = nullptr;
      for (int const n : ranks)
        for (row const& r : rows) {
          if (r.experiment != experiment || r.setting != settings[s] || r.op != op || r.ranks != n) continue;
          double const x = across.at(n), y = up.at(r.mb_per_s);
          if (before != nullptr) sheet.line(across.at(before->ranks), up.at(before->mb_per_s), x, y, colour, 2);
          sheet.rectangle(x - 3, y - 3, 6, 6, colour);
          before = &r;
        }
    }
  }
  double y = top + tall + 62;
  for (std::size_t s = 0; s < settings.size(); ++s, y += line_height) {
    sheet.line(left, y - 4, left + 24, y - 4, svg::colour_of_rank(s), 2);
    sheet.rectangle(left + 9, y - 7, 6, 6, svg::colour_of_rank(s));
    sheet.text(left + 32, y, settings[s], 12);
  }
  return sheet.finish(y, title);
}

}  // namespace shapes
