// The twin of subarray_sizes_differ.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto box(int n) {
  return io::subarray(io::list(n, n), io::list(2, 2), io::list(0, 0), io::type<int>);
}
