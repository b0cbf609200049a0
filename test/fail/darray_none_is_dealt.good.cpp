// Two processes along a dimension that is not distributed.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto part(int rank) {
  return io::darray({64, 64}, each(block, none), io::list(constant<4>, constant<1>), rank,
                    io::type<double>);
}
