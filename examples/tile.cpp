// Describes one rank's tile of an array and packs it.
// Run: build/release/bin/tile
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/layout.hpp>
#include <argosy/layout/fmt.hpp>
#include <vector>
namespace io = argosy;

int main() {
  // Rank 4 of 12 owns this tile of a 60 x 40 x 20 array of doubles.
  io::process_grid grid(12, 3);
  io::darray<double, 3> tile({60, 40, 20}, io::distribute::block, grid, 4);
  io::layout form = tile.form();
  fmt::print("{}\n{} bytes in {} pieces\n", form, form.size(), form.pieces());

  std::vector<double> whole(60 * 40 * 20, 1.0), part(20 * 20 * 10);
  io::pack(form, whole.data(), part.data());
  fmt::print("{} doubles packed, the last is {}\n", part.size(), part.back());
}
