// A random order that is equal on all systems. std::shuffle differs between standard libraries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <random>
#include <utility>

namespace argosy::bench::detail {

template <class Items>
void shuffle(Items& what, std::mt19937_64& random) {
  for (std::size_t k = what.size(); k > 1; --k) std::swap(what[k - 1], what[random() % k]);
}

}  // namespace argosy::bench::detail
