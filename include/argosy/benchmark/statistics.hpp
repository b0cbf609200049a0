// Statistics of rounds: medians, spreads, and how many times as fast one is as another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

// The namespace of the component is `bench`, not `benchmark`. Google Benchmark's own namespace is
// `benchmark`. A program that writes benchmark::State after `using namespace argosy`, or inside of
// namespace argosy, would find the wrong one if there were an argosy::benchmark.
namespace argosy::bench {

// Returns the mean of the two middle values if their number is even, and 0 if there is none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// The median, and the values that a tenth of all lies below and above.
struct spread {
  double low = 0, median = 0, high = 0;
};

// Returns the spread of some values, or zeros if there is none.
inline spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  std::size_t const n = values.size();
  return {values[n / 10], median(values), values[n - 1 - n / 10]};
}

// Returns the ratio of the seconds of `other` to those of `one`, for each round that both have.
// Above 1, `one` is faster.
inline std::vector<double> ratios_of(std::vector<double> const& one,
                                     std::vector<double> const& other) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < std::min(one.size(), other.size()); ++k)
    ratios.push_back(other[k] / one[k]);
  return ratios;
}

// Returns how many times as fast `one` is as `other`: the median of ratios_of. Returns 0 if one of
// them was never measured.
inline double speed(std::vector<double> const& one, std::vector<double> const& other) {
  return median(ratios_of(one, other));
}

}  // namespace argosy::bench
