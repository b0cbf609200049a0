// Step 2 of docs/use/tutorial.md: one process writes its array for NumPy.
// Run: build/release/bin/heat2
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/npy.hpp>

#include "heat.hpp"

namespace io = argosy;

// [heat2]
int main() {
  field u{{side, side, side}, {0, 0, 0}};
  heat_up(u);
  for (int t = 0; t < 100; ++t) step(u);
  io::darray<double, 3> const all({side, side, side}, io::distribute::block, {1, 1, 1}, 0);
  auto f = io::basic_npy<io::self>::create(io::self(), "heat2.npy", all);
  f.write_all(io::interior(u, {1, 1, 1}));
  f.close();
}
// [heat2]
