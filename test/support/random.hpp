// Random numbers for tests. Ranks that begin with the same seed draw equal numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace argosy::test {

using engine = std::mt19937_64;
using list = std::vector<std::int64_t>;

inline std::int64_t pick(engine& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}
inline bool one_in(engine& random, std::int64_t n) { return pick(random, 1, n) == 1; }

}  // namespace argosy::test
