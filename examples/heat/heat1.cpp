// Step 1 of docs/use/tutorial.md: one process, no files.
// Run: build/release/bin/heat1
// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "heat.hpp"

// [heat1]
int main() {
  field u{{side, side, side}, {0, 0, 0}};
  heat_up(u);
  for (int t = 0; t < 100; ++t) step(u);
  std::cout << "the middle has " << u(side / 2, side / 2, side / 2) << " degrees\n";
}
// [heat1]
