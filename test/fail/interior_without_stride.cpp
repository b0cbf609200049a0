// The interior of an array that does not give its strides.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: this array has no stride.i., in elements

#include <argosy/datatype.hpp>

namespace io = argosy;

struct grid {
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t) const { return 4; }
  double* data() const { return u; }
  double* u;
};
auto buffer(grid const& g) { return io::interior(g, {1, 1}).size(); }
