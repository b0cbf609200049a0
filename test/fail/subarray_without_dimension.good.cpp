// The twin of subarray_without_dimension.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() {
  return io::subarray(io::list(constant<1>), io::list(constant<1>), io::list(constant<0>),
                      io::type<int>);
}
