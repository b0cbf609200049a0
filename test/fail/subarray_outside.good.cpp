// A box that exceeds its array in the last dimension, whose numbers are fixed at compile time.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::c;

auto box(int n) {
  return io::subarray(io::list(n, c<8>), io::list(4, c<6>), io::list(0, c<2>), io::type<double>);
}
