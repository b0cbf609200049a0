// Small programs, in which each file call of every rank fails with every error, once and from then
// on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "program.hpp"

namespace argosy::explore {

struct broken_cell {
  std::string name;
  program what;
  std::string wrong;
};
struct sweep_result {
  std::int64_t programs = 0;
  std::int64_t calls = 0;  // file calls below all retries, of all ranks and programs
  std::int64_t cells = 0;
  std::vector<broken_cell> broken;
};

// `every`: only each `every`-th call fails.
sweep_result sweep(std::function<void(std::int64_t cells)> const& progress = {},
                   std::int64_t every = 1);

}  // namespace argosy::explore
