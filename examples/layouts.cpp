// Builds layouts by the algebra, prints them, packs scattered bytes and puts them back.
// Run: build/release/bin/layouts
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout.hpp>
#include <argosy/layout/fmt.hpp>

#include <fmt/core.h>

#include <cstddef>
#include <numeric>
#include <vector>

namespace io = argosy;

int main() {
  // Columns 2 and 3 of an 8 x 8 matrix of doubles. In each row they are neighbours, and form one
  // piece.
  io::layout const columns =
      io::at(2 * 8, io::repeat(8, 8 * 8, io::concat(io::bytes(8), io::at(8, io::bytes(8)))));
  fmt::print("{}\n\n{:t}\n", columns, columns);

  std::vector<double> matrix(64);
  std::iota(matrix.begin(), matrix.end(), 0.0);
  std::vector<double> packed(static_cast<std::size_t>(columns.size()) / sizeof(double));
  io::pack(columns, matrix.data(), packed.data());
  fmt::print("packed: {} {} {} {} ... {}\n", packed[0], packed[1], packed[2], packed[3],
             packed.back());

  for (double& x : packed) x = -x;
  io::unpack(columns, packed.data(), matrix.data());
  fmt::print("row 1:  {} {} {} {} {}\n", matrix[8], matrix[9], matrix[10], matrix[11], matrix[12]);

  // An impossible description is refused with a reason.
  try {
    io::repeat(-1, 8, io::bytes(8));
  } catch (io::invalid_layout const& e) {
    fmt::print("{}\n", e.what());
  }
}
