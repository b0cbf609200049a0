// Implements the picture of report.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "../../support/chart.hpp"
#include "report.hpp"

namespace papers {

namespace {

// Returns the members that rows of one line have in common.
std::string series_of(row const& r) {
  if (r.workload == "beffio") return fmt::format("{}, {}", r.hints, r.op.substr(0, r.op.find('.')));
  if (r.role == part::claims)
    return fmt::format("{} {}{}{}", r.software, r.op, r.unique ? ", unique" : "",
                       r.largeblock ? ", each task by itself" : "");
  return fmt::format("{} {}{}{}{}{}", r.machine, r.is_write() ? "write" : "read",
                     r.source == "HX" ? fmt::format(", {:.0f} MB a task",
                                                    static_cast<double>(r.bytes_per_task) / 1e6)
                                      : "",
                     r.stripe_bytes > 0 && (r.table == "HX-8" || r.table == "HX-9")
                         ? fmt::format(", {} tasks", r.tasks())
                         : "",
                     r.unique ? ", unique" : "", r.workload == "gathered_tile" ? ", gathered" : "");
}

std::string label_of(row const& r) {
  if (r.workload == "beffio") return r.op.substr(r.op.find('.') + 1);
  if (r.table == "HX-8" || r.table == "HX-9") return fmt::format("{} MB", r.stripe_bytes >> 20);
  if (r.workload == "strided") return fmt::format("{} KB", r.transfer_bytes >> 10);
  return fmt::format("{}", r.tasks());
}

}  // namespace

bool is_drawn(row const& r) { return r.role != part::claims || r.workload == "discontiguous"; }

std::string plot(std::string const& table, std::vector<result> const& results,
                 std::string const& beside) {
  std::map<std::string, std::vector<result const*>> all;
  for (result const& r : results)
    if (r.what->table == table && is_drawn(*r.what)) all[series_of(*r.what)].push_back(&r);
  bench::line_panel panel{"MB/s", {}};
  std::vector<bench::tick> ticks;
  std::size_t colour = 0;
  bool known = false;
  for (auto const& [name, rows] : all) {
    bench::series published{name, {}, colour}, simulated{{}, {}, colour}, other{{}, {}, colour};
    published.width = simulated.mark = other.mark = 0;
    published.mark = 8;
    other.width = 1;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      row const& r = *rows[k]->what;
      double const place = static_cast<double>(k);
      if (k == ticks.size()) ticks.push_back({place, colour == 0 ? label_of(r) : ""});
      known = known || r.published > 0;
      published.points.push_back({place, r.published, r.published_sd, r.role != part::calibrate});
      simulated.points.push_back({place, rows[k]->simulated});
      other.points.push_back({place, rows[k]->beside});
    }
    if (!known) std::swap(simulated.name, published.name);
    panel.lines.insert(panel.lines.end(), {simulated, other, published});
    ++colour;
  }
  std::string const title = table +
                            (known ? ": published points (filled: fitted to), simulated lines"
                                   : ": simulated; no numbers were published") +
                            (beside.empty() ? "" : ", thin: " + beside);
  return bench::line_chart(title, "", ticks, {panel});
}

}  // namespace papers
