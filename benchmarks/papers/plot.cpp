// Implements the picture of report.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <layout/axis.hpp>
#include <layout/svg.hpp>

#include "report.hpp"

namespace papers {

namespace {

namespace svg = argosy::detail;

// Rows of one line: what they have in common.
std::string series_of(row const& r) {
  if (r.workload == "beffio") return fmt::format("{}, {}", r.hints, r.op.substr(0, r.op.find('.')));
  return fmt::format(
      "{} {}{}{}{}{}", r.machine, r.is_write() ? "write" : "read",
      r.source == "HX" ? fmt::format(", {:.0f} MB a task", static_cast<double>(r.bytes_per_task) / 1e6) : "",
      r.stripe_bytes > 0 && (r.table == "HX-8" || r.table == "HX-9") ? fmt::format(", {} tasks", r.tasks()) : "",
      r.unique ? ", unique" : "", r.workload == "gathered_tile" ? ", gathered" : "");
}

std::string label_of(row const& r) {
  if (r.workload == "beffio") return r.op.substr(r.op.find('.') + 1);
  if (r.table == "HX-8" || r.table == "HX-9") return fmt::format("{} MB", r.stripe_bytes >> 20);
  if (r.workload == "strided") return fmt::format("{} KB", r.transfer_bytes >> 10);
  return fmt::format("{}", r.tasks());
}

}  // namespace

std::string plot(std::string const& table, std::vector<result> const& results, std::string const& beside) {
  constexpr double left = 70, top = 60, wide = 640, tall = 320, line_height = 18;
  std::map<std::string, std::vector<result const*>> series;
  std::size_t longest = 1;
  double low = 1e300, high = 0;
  for (result const& r : results) {
    if (r.what->table != table || r.what->role == part::claims) continue;
    std::vector<result const*>& s = series[series_of(*r.what)];
    s.push_back(&r);
    longest = std::max(longest, s.size());
    low = std::min({low, r.what->published, r.simulated, r.beside > 0 ? r.beside : r.simulated});
    high = std::max({high, r.what->published + r.what->published_sd, r.simulated, r.beside});
  }
  svg::svg_sheet sheet(left + wide + 30);
  if (series.empty()) return sheet.finish(top, table);
  low = std::pow(10, std::floor(std::log10(std::max(low, 1e-3))));
  high = std::pow(10, std::ceil(std::log10(high) + 1e-9));
  auto const up = [&](double x) { return top + tall - tall * std::log(std::max(x, low) / low) / std::log(high / low); };
  auto const across = [&](std::size_t k) {
    return left + 20 +
           (wide - 40) * static_cast<double>(k) / static_cast<double>(std::max<std::size_t>(1, longest - 1));
  };
  sheet.text(left, 28,
             table + ": published points (filled: fitted to), simulated lines" +
                 (beside.empty() ? "" : ", thin: " + beside) + ", MB/s",
             15);
  for (double decade = low; decade < high * 1.001; decade *= 10) {
    for (int k = 1; k < 10 && decade * k < high * 1.001; ++k)
      sheet.line(left, up(decade * k), left + wide, up(decade * k), k == 1 ? svg::grid_grey : svg::pale);
    sheet.text(left - 6, up(decade) + 4, svg::short_number(decade), 11, "end");
  }
  std::size_t n = 0;
  double y = top + tall + 50;
  for (auto const& [name, points] : series) {
    svg::colour const colour = svg::colour_of_rank(n++);
    for (std::size_t k = 0; k < points.size(); ++k) {
      row const& r = *points[k]->what;
      double const x = across(k), at = up(r.published);
      if (k > 0) sheet.line(across(k - 1), up(points[k - 1]->simulated), x, up(points[k]->simulated), colour, 2);
      if (k > 0 && points[k]->beside > 0 && points[k - 1]->beside > 0)
        sheet.line(across(k - 1), up(points[k - 1]->beside), x, up(points[k]->beside), colour);
      if (r.published_sd > 0)
        sheet.line(x, up(r.published - r.published_sd), x, up(r.published + r.published_sd), colour);
      sheet.rectangle(x - 4, at - 4, 8, 8, colour);
      if (r.role != part::calibrate) sheet.rectangle(x - 2.5, at - 2.5, 5, 5, svg::pale);
      if (n == 1) sheet.text(x, top + tall + 18, label_of(r), 11, "middle");
    }
    sheet.rectangle(left, y - 8, 8, 8, colour);
    sheet.text(left + 16, y, name, 12);
    y += line_height;
  }
  return sheet.finish(y, table);
}

}  // namespace papers
