// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include <cmath>

namespace beffio {

std::vector<comparison> compared(run_result const& one, run_result const& other) {
  std::vector<comparison> all;
  for (cell const& c : one.cells) {
    cell const* const twin = other.find(c.partition, c.how, c.type, c.number);
    if (c.what.units > 0 && twin != nullptr && c.rate() > 0 && twin->rate() > 0) all.push_back({&c, twin});
  }
  return all;
}

std::optional<double> geometric_mean(std::vector<comparison> const& all, std::optional<method> of,
                                     std::optional<int> type) {
  double logs = 0;
  int n = 0;
  for (comparison const& c : all) {
    if ((of && c.one->how != *of) || (type && c.one->type != *type)) continue;
    logs += std::log(c.ratio());
    ++n;
  }
  if (n == 0) return {};
  return std::exp(logs / n);
}

}  // namespace beffio
