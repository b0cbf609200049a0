// The parts of the generator.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"
#include "support/random.hpp"

namespace argosy::explore {

template <class T, std::size_t N>
T const& any_of(test::engine& random, T const (&all)[N]) {
  return all[static_cast<std::size_t>(test::pick(random, 0, static_cast<std::int64_t>(N) - 1))];
}
inline std::uint64_t number(test::engine& random) { return static_cast<std::uint64_t>(test::pick(random, 1, 1 << 30)); }

// The world, and what goes wrong in it.
void make_world(test::engine& random, program& p);
// `agents`: they are asked for.
std::vector<std::pair<std::string, std::string>> random_hints(test::engine& random, bool agents);

}  // namespace argosy::explore
