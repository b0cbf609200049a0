// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>

namespace io = argosy;

struct grid {
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t) const { return 4; }
  std::size_t stride(std::size_t d) const { return d == 0 ? 4 : 1; }
  double* data() const { return u; }
  double* u;
};
auto buffer(grid const& g) { return io::interior(g, {1, 1}).size(); }
