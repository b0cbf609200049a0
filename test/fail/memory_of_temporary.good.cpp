// A buffer of data that has already been destroyed.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <vector>

namespace io = argosy;

auto size() {
  std::vector<double> const eight(8);
  return io::memory(eight).size();
}
