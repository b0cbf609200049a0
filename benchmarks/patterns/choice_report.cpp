// Implements choice_report.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "choice_report.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace patterns {
namespace {

constexpr std::string_view prefix = "argosy:";
// A choice that costs less than `as_good` counts as right, because two runs of the same work differ
// by that much.
constexpr double as_good = 1.1, dear = 1.2;

bool same_row(measured const& a, measured const& b) {
  return a.pattern == b.pattern && a.how == b.how && a.op == b.op && a.ranks == b.ranks;
}

// Parses the beginning of a report: "two_phase: 8 bytes, ...".
std::string_view chosen_by(measured const& m) {
  return std::string_view(m.last).substr(0, m.last.find(':'));
}

}  // namespace

void print_choices(std::FILE* out, std::vector<measured> const& lines) {
  int rows = 0, right = 0, costly = 0;
  double most = 0;
  for (measured const& m : lines) {
    // At the other levels each rank transfers its own data, with any policy.
    if (m.implementation != "argosy" || (m.how != 1 && m.how != 3)) continue;
    measured const* fastest = nullptr;
    measured const* named = nullptr;
    int candidates = 0;
    for (measured const& other : lines) {
      if (!same_row(m, other) || !other.implementation.starts_with(prefix)) continue;
      ++candidates;
      if (!fastest || other.median < fastest->median) fastest = &other;
      if (other.implementation.substr(prefix.size()) == chosen_by(m)) named = &other;
    }
    if (candidates < 2 || !named) continue;
    if (rows++ == 0)
      fmt::print(out, "\n{:<18} {:>5} {:<8} {:>5} {:>10} {:<10} {:<10} {:>10} {:>12}\n",
                 "choices of argosy", "level", "op", "ranks", "argosy ms", "chosen", "fastest",
                 "its ms", "chosen / it");
    // computed within rounds, so that other load affects both
    double const cost = speed(fastest->seconds, named->seconds);
    right += cost <= as_good ? 1 : 0;
    costly += cost > dear ? 1 : 0;
    most = std::max(most, cost);
    fmt::print(out,
               "{:<18} {:>5} {:<8} {:>5} {:>10.3f} {:<10.10} {:<10.10} {:>10.3f} {:>12.2f}  {}\n",
               m.pattern, m.how, m.op, m.ranks, m.median * 1e3,
               named->implementation.substr(prefix.size()),
               fastest->implementation.substr(prefix.size()), fastest->median * 1e3, cost,
               cost > dear      ? "< wrong"
               : cost > as_good ? "< not the fastest"
                                : "");
  }
  if (rows > 0)
    fmt::print(out,
               "{} of {} choices are the fastest, or within {:.0f} % of it; {} cost more than "
               "{:.0f} %; the dearest "
               "takes {:.2f} times as long\n",
               right, rows, (as_good - 1) * 100, costly, (dear - 1) * 100, most);
}

}  // namespace patterns
