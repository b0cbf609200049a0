// A box that exceeds its array in the last dimension, whose numbers are fixed at compile time.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::subarray: start . subsize exceeds the size of a dimension

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto box(int n) {
  return io::subarray(io::list(n, constant<8>), io::list(4, constant<7>), io::list(0, constant<2>),
                      io::type<double>);
}
