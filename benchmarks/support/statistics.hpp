// Statistics of rounds: medians, spreads, geometric means.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace bench {

// Returns the mean of the two middle values if their number is even, and 0 if there is none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// The median, and the values that a tenth of all lies below and above.
struct rank_statistics {
  double low = 0, median = 0, high = 0;
};
inline rank_statistics spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  std::size_t const n = values.size();
  return {values[n / 10], median(values), values[n - 1 - n / 10]};
}

// Returns how many times as fast `one` is as `other`: the median over the rounds of the ratio of
// their seconds. Returns 0 if one of them was never measured.
inline double speed(std::vector<double> const& one, std::vector<double> const& other) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < std::min(one.size(), other.size()); ++k)
    ratios.push_back(other[k] / one[k]);
  return median(std::move(ratios));
}

// The geometric mean of ratios, and the least of them. Ratios that are not positive count as
// unknown.
class geometric_mean {
 public:
  void add(double ratio) {
    if (!(ratio > 0)) return;
    least_ = count_ == 0 ? ratio : std::min(least_, ratio);
    logs_ += std::log(ratio);
    ++count_;
  }
  int count() const { return count_; }
  // Returns 0 if there are no ratios.
  double value() const { return count_ > 0 ? std::exp(logs_ / count_) : 0; }
  double least() const { return least_; }

 private:
  double logs_ = 0, least_ = 0;
  int count_ = 0;
};

}  // namespace bench
