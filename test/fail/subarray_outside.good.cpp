// A box that exceeds its array in the last dimension, whose numbers are fixed at compile time.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto box(int n) {
  return io::subarray(io::list(n, constant<8>), io::list(4, constant<6>), io::list(0, constant<2>),
                      io::type<double>);
}
