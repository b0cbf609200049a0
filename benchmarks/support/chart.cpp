// Implements chart.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <layout/axis.hpp>
#include <layout/svg.hpp>

namespace bench {
namespace {

namespace svg = argosy::detail;

constexpr double left = 70, top = 60, line_height = 18;

// A logarithmic axis of whole decades.
struct decades {
  double low = 1, high = 10, from = 0, to = 1;

  void take(double v) {
    if (!(v > 0) || !std::isfinite(v)) return;
    least_ = std::min(least_, v);
    most_ = std::max(most_, v);
  }
  void settle() {
    if (most_ <= 0) return;
    low = std::pow(10, std::floor(std::log10(least_)));
    high = std::pow(10, std::ceil(std::log10(most_) + 1e-9));
  }
  double at(double v) const {
    return from + (to - from) * std::log(v / low) / std::log(high / low);
  }
  void draw(svg::svg_sheet& sheet, double x0, double x1, bool labels) const {
    for (double decade = low; decade < high * 1.001; decade *= 10) {
      for (int k = 1; k < 10 && decade * k < high * 1.001; ++k)
        sheet.line(x0, at(decade * k), x1, at(decade * k), k == 1 ? svg::grid_grey : svg::pale);
      if (labels) sheet.text(x0 - 6, at(decade) + 4, svg::short_number(decade), 11, "end");
    }
  }

 private:
  double least_ = std::numeric_limits<double>::max(), most_ = 0;
};

void stroke(svg::svg_sheet& sheet, double x1, double y1, double x2, double y2, series const& s) {
  svg::colour const c = svg::colour_of_rank(s.colour);
  if (s.dashes == 0) return sheet.line(x1, y1, x2, y2, c, s.width);
  int const dash = 2 + 3 * ((s.dashes - 1) % 3);
  sheet.raw(fmt::format(
      "<path d=\"M{} {}L{} {}\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"{} 3\"/>\n",
      svg::svg_number(x1), svg::svg_number(y1), svg::svg_number(x2), svg::svg_number(y2), c.text(),
      dash));
}

// Draws names with their colours, as many in a line as fit. Returns the place below.
double legend(svg::svg_sheet& sheet, double y, std::vector<series> const& lines) {
  double x = left;
  for (series const& s : lines) {
    if (s.name.empty()) continue;
    double const width = 44 + svg::svg_sheet::text_width(s.name, 12);
    if (x > left && x + width > sheet.width() - 10) {
      x = left;
      y += line_height;
    }
    if (s.width > 0) stroke(sheet, x, y - 4, x + 24, y - 4, s);
    if (s.mark > 0) sheet.rectangle(x + 9, y - 7, 6, 6, svg::colour_of_rank(s.colour));
    sheet.text(x + 30, y, s.name, 12);
    x += width;
  }
  return y + line_height;
}

// Returns names of bars, as entries of a legend.
std::vector<series> entries(std::vector<std::string> const& names) {
  std::vector<series> all;
  for (std::size_t k = 0; k < names.size(); ++k) all.push_back({names[k], {}, k});
  return all;
}

template <class Place>
void draw(svg::svg_sheet& sheet, series const& s, Place const& x, decades const& y) {
  svg::colour const c = svg::colour_of_rank(s.colour);
  point const* before = nullptr;
  for (point const& p : s.points) {
    if (!(p.value > 0)) {
      before = nullptr;
      continue;
    }
    double const left_of = x(p.place), above = y.at(p.value);
    if (before != nullptr && s.width > 0)
      stroke(sheet, x(before->place), y.at(before->value), left_of, above, s);
    if (p.deviation > 0)
      sheet.line(left_of, y.at(std::max(y.low, p.value - p.deviation)), left_of,
                 y.at(p.value + p.deviation), c);
    if (s.mark > 0) sheet.rectangle(left_of - s.mark / 2, above - s.mark / 2, s.mark, s.mark, c);
    if (p.hollow)
      sheet.rectangle(left_of - s.mark / 4, above - s.mark / 4, s.mark / 2, s.mark / 2, svg::pale);
    before = &p;
  }
}

}  // namespace

std::string line_chart(std::string const& title, std::string const& across,
                       std::vector<tick> const& ticks, std::vector<line_panel> const& panels) {
  constexpr double tall = 340, gap = 70;
  double const wide = panels.size() > 1 ? 340 : 560;
  svg::svg_sheet sheet(left + static_cast<double>(panels.size()) * (wide + gap) - gap + 40);
  sheet.text(left, 24, title, 16);
  decades y;
  y.from = top + tall;
  y.to = top;
  for (line_panel const& panel : panels)
    for (series const& s : panel.lines)
      for (point const& p : s.points) y.take(p.value), y.take(p.value + p.deviation);
  y.settle();
  double const first = ticks.empty() ? 0 : ticks.front().place,
               last = ticks.empty() ? 1 : ticks.back().place;
  double x0 = left;
  for (line_panel const& panel : panels) {
    sheet.text(x0, top - 12, panel.up, 12);
    y.draw(sheet, x0, x0 + wide, true);
    auto const x = [&](double place) {
      return x0 + 24 + (wide - 48) * (last > first ? (place - first) / (last - first) : 0.5);
    };
    for (tick const& t : ticks) {
      sheet.line(x(t.place), top + tall, x(t.place), top + tall + 4, svg::grid_grey);
      sheet.text(x(t.place), top + tall + 18, t.name, 11, "middle");
    }
    sheet.text(x0 + wide / 2, top + tall + 38, across, 12, "middle");
    for (series const& s : panel.lines) draw(sheet, s, x, y);
    x0 += wide + gap;
  }
  return sheet.finish(legend(sheet, top + tall + 64, panels.front().lines), title);
}

std::string bar_chart(std::string const& title, std::string const& up,
                      std::vector<std::string> const& groups, std::vector<std::string> const& bars,
                      std::vector<bar_panel> const& panels) {
  constexpr double tall = 240, gap = 24;
  double const bar =
      std::clamp(60.0 / static_cast<double>(std::max<std::size_t>(1, bars.size())), 6.0, 16.0);
  double const group = bar * static_cast<double>(bars.size()) + 16;
  double const wide = std::max(group * static_cast<double>(groups.size()), 120.0);
  svg::svg_sheet sheet(left + static_cast<double>(panels.size()) * (wide + gap) + 20);
  sheet.text(left, 24, title, 16);
  sheet.text(left - 50, top - 12, up, 12);
  decades y;
  y.from = top + tall;
  y.to = top;
  for (bar_panel const& p : panels)
    for (auto const& g : p.values)
      for (auto const& v : g) y.take(v.value_or(0));
  y.settle();
  for (std::size_t k = 0; k < panels.size(); ++k) {
    double const x0 = left + static_cast<double>(k) * (wide + gap);
    sheet.text(x0 + wide / 2, top - 12, panels[k].title, 12, "middle");
    y.draw(sheet, x0, x0 + wide, k == 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      double const at = x0 + static_cast<double>(g) * group + 8;
      double const middle = at + bar * static_cast<double>(bars.size()) / 2;
      // Names are rotated if groups are narrow.
      sheet.raw(fmt::format("<g transform=\"translate({} {}) rotate(-30)\">\n",
                            svg::svg_number(middle + 6), svg::svg_number(top + tall + 14)));
      sheet.text(0, 0, groups[g], 10, "end");
      sheet.raw("</g>\n");
      for (std::size_t b = 0; b < bars.size(); ++b) {
        double const v = panels[k].values[g][b].value_or(0);
        if (v > 0)
          sheet.rectangle(at + bar * static_cast<double>(b), y.at(v), bar - 1, top + tall - y.at(v),
                          svg::colour_of_rank(b));
      }
    }
  }
  return sheet.finish(legend(sheet, top + tall + 76, entries(bars)), title);
}

std::string share_chart(std::string const& title, std::vector<std::string> const& parts,
                        std::vector<share_row> const& rows) {
  constexpr double names = 140, wide = 480, tall = 20;
  svg::svg_sheet sheet(20 + names + wide + 110);
  sheet.text(20, 24, title, 16);
  double y = top - 16;
  for (share_row const& r : rows) {
    double const all = std::accumulate(r.parts.begin(), r.parts.end(), 0.0);
    sheet.text(20 + names - 8, y + 14, r.name, 11, "end");
    double x = 20 + names;
    for (std::size_t k = 0; all > 0 && k < r.parts.size(); ++k) {
      double const width = wide * r.parts[k] / all;
      if (width > 0) sheet.rectangle(x, y, width, tall - 3, svg::colour_of_rank(k));
      x += width;
    }
    sheet.text(20 + names + wide + 8, y + 14, r.note, 11);
    y += tall;
  }
  return sheet.finish(legend(sheet, y + 24, entries(parts)), title);
}

}  // namespace bench
