// Two processes along a dimension that is not distributed.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::darray: distribution none needs exactly 1 process along its dimension

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto part(int rank) {
  return io::darray({64, 64}, each(block, none), io::list(constant<2>, constant<2>), rank,
                    io::type<double>);
}
