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
inline std::uint64_t number(test::engine& random) {
  return static_cast<std::uint64_t>(test::pick(random, 1, 1 << 30));
}

// Makes the world, and its faults.
void make_world(test::engine& random, program& p);

using hint_list = std::vector<std::pair<std::string, std::string>>;
// A hint of programs, and its values. If `values` is empty, programs give it only nonsense.
struct hint_choice {
  char const* name;
  std::vector<char const*> values;
};
// Returns the hints of a step, out of all that are known and of `more`. If `agents`, they ask for
// agents. Exactly one number is drawn from `random`. That number and the name of a hint decide its
// value, so if a hint is added to the library, programs stay the same except for that hint.
hint_list random_hints(test::engine& random, bool agents,
                       std::vector<hint_choice> const& more = {});

// Returns the program of a seed, as if explore knew one more hint.
program random_program_with(hint_choice const& more, std::uint64_t seed);

}  // namespace argosy::explore
