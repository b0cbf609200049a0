// A number as a product of factors that are as equal as possible.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <argosy/datatype/detail/numbers.hpp>

namespace argosy::detail {

// Finds n as a product of `count` factors that never increase, none above `most`. If there are
// several, it is the one with the smallest first factor, then the smallest second, and so on.
// Returns false if there is none. `divisors` has the divisors of n, ascending.
constexpr bool factor(std::int64_t n, std::size_t count, std::int64_t most,
                      numbers<> const& divisors, numbers<>& out, std::size_t at) {
  if (count == 0) return n == 1;
  if (count == 1) {
    if (n > most) return false;
    out[at] = n;
    return true;
  }
  for (std::int64_t f : divisors) {
    if (f > most || f > n) return false;
    if (n % f != 0) continue;
    // The later factors are not larger than this one; together they must be able to reach n.
    std::int64_t reach = 1;
    for (std::size_t k = 0; k < count && reach < n; ++k) reach *= f;
    if (reach < n) continue;
    out[at] = f;
    if (factor(n / f, count - 1, f, divisors, out, at + 1)) return true;
  }
  return false;
}

constexpr numbers<> balanced(std::int64_t n, std::size_t count) {
  numbers<> divisors, result;
  for (std::int64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) divisors.push_back(d);
  for (std::size_t i = divisors.size(); i-- > 0;)
    if (divisors[i] * divisors[i] != n) divisors.push_back(n / divisors[i]);
  for (std::size_t i = 0; i < count; ++i) result.push_back(1);
  factor(n, count, n, divisors, result, 0);
  return result;
}

}  // namespace argosy::detail
