// The twin of subarray_start_outside.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto box(int n) {
  return io::subarray(io::list(constant<8>), io::list(n), io::list(constant<7>), io::type<int>);
}
