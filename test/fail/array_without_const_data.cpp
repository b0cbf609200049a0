// A const array whose class gives its data to callers that may change it only.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: this array has no data.. that returns a pointer to its first element

#include <argosy/datatype.hpp>

namespace io = argosy;

struct grid {
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t) const { return 4; }
  std::size_t stride(std::size_t d) const { return d == 0 ? 4 : 1; }
  double* data() { return u; }
  double u[16];
};
auto buffer(grid const& g) { return io::memory(g).size(); }
