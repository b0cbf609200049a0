// An array that does not tell its rank at compile time.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: this array does not tell its rank at compile time

#include <argosy/datatype.hpp>

namespace io = argosy;

struct grid {
  std::size_t rank() const { return 2; }
  std::size_t extent(std::size_t) const { return 4; }
  std::size_t stride(std::size_t d) const { return d == 0 ? 4 : 1; }
  double* data() const { return u; }
  double* u;
};
auto buffer(grid const& g) { return io::memory(g).size(); }
