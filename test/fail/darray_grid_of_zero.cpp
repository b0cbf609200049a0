// A grid without processes along a dimension.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::darray: a grid dimension is not positive; give 1 or more

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto part(int n, int rank) {
  return io::darray({n, n}, block, io::list(constant<4>, constant<0>), rank, io::type<int>);
}
