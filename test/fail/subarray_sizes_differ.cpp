// Two sizes, three starts.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::subarray: the lists differ in size; give one size, subsize and start

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto box(int n) {
  return io::subarray(io::list(n, n), io::list(2, 2), io::list(0, 0, 0), io::type<int>);
}
