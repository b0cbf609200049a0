// SPDX-License-Identifier: BSD-3-Clause
#include "rules.hpp"

#include <algorithm>
#include <cmath>

namespace beffio {

std::vector<pattern> patterns_of(int type, std::int64_t longest) {
  if (type == scatter)
    return {{mib, mib, 0},
            {longest, longest, 4},
            {mib, 2 * mib, 4},
            {mib, mib, 4},
            {32 * kib, mib, 2},
            {kib, mib, 2},
            {32 * kib + 8, mib + 256, 2},
            {kib + 8, mib + 8 * kib, 2},
            {mib + 8, mib + 8, 2}};
  auto const one = [](std::int64_t chunk, int units) { return pattern{chunk, chunk, units}; };
  return {one(mib, 0),     one(longest, type == shared ? 4 : 2),
          one(mib, 2),     one(32 * kib, 1),
          one(kib, 1),     one(32 * kib + 8, 1),
          one(kib + 8, 1), one(mib + 8, 2)};
}

int scattered_twin(int pattern_of_segmented) {
  return pattern_of_segmented == 0 || pattern_of_segmented > 7 ? -1
         : pattern_of_segmented == 1                           ? 1
                                                               : pattern_of_segmented + 1;
}

std::array<std::int64_t, 7> compared_chunks(std::int64_t longest) {
  return {kib, kib + 8, 32 * kib, 32 * kib + 8, mib, mib + 8, longest};
}

std::array<int, 7> compared_patterns(int type) {
  if (type == scatter) return {5, 7, 4, 6, 3, 8, 1};
  return {4, 6, 3, 5, 2, 7, 1};
}

std::vector<int> partitions_of(int ranks) {
  auto const power = [&](double share) {
    return 1 << static_cast<int>(std::round(share * std::log2(static_cast<double>(ranks))));
  };
  std::vector<int> sizes{ranks == 3 ? 1 : power(0.35), ranks == 4 ? 3 : power(0.70), ranks};
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::optional<double> weighted(by_type const& v) {
  double sum = 0;
  for (int t = 0; t < types; ++t) {
    auto const& x = v[static_cast<std::size_t>(t)];
    if (!x) return {};
    sum += t == scatter ? 2 * *x : *x;
  }
  return sum / 6;
}

std::optional<double> average(release r, method m, by_type const& v,
                              std::optional<double> rewrite0) {
  if (r == release::r1 || m == method::read) return weighted(v);
  if (m == method::rewrite) return v[scatter];
  std::optional<double> const twice = weighted(v);
  if (!twice || !rewrite0) return {};
  return *twice + (*rewrite0 - *v[scatter]) / 6;
}

std::optional<double> partition_value(release r, std::optional<double> write,
                                      std::optional<double> rewrite, std::optional<double> read) {
  if (!write || !read) return {};
  if (r == release::r2) return std::sqrt(*write * *read);
  if (!rewrite) return {};
  return 0.25 * *write + 0.25 * *rewrite + 0.5 * *read;
}

}  // namespace beffio
