// A box that begins beyond its dimension, whatever its size.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::subarray: start . subsize exceeds the size of a dimension

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto box(int n) {
  return io::subarray(io::list(constant<8>), io::list(n), io::list(constant<9>), io::type<int>);
}
