// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include "../support/statistics.hpp"

namespace beffio {

std::vector<comparison> compared(run_result const& one, run_result const& other) {
  std::vector<comparison> all;
  for (cell const& c : one.cells) {
    cell const* const twin = other.find(c.partition, c.how, c.type, c.number);
    if (c.what.units > 0 && twin != nullptr && c.rate() > 0 && twin->rate() > 0)
      all.push_back({&c, twin});
  }
  return all;
}

std::optional<double> geometric_mean(std::vector<comparison> const& all, std::optional<method> of,
                                     std::optional<int> type) {
  bench::geometric_mean mean;
  for (comparison const& c : all) {
    if ((of && c.one->how != *of) || (type && c.one->type != *type)) continue;
    mean.add(c.ratio());
  }
  if (mean.count() == 0) return {};
  return mean.value();
}

}  // namespace beffio
