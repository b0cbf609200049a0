// Statistics of rounds: medians and spreads of argosy::bench, and geometric means.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include <argosy/benchmark/statistics.hpp>

namespace bench {

using argosy::bench::median;
using argosy::bench::ratios_of;
using argosy::bench::speed;
using argosy::bench::spread;
using argosy::bench::spread_of;

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
