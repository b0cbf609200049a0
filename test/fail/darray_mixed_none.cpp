// One rule has a size of run time, and another one is wrong for its dimension.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::darray: distribution none needs exactly 1 process along its dimension

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto part(int k, int rank) {
  return io::darray({64, 64}, each(cyclic(k), none), io::list(constant<2>, constant<2>), rank,
                    io::type<int>);
}
