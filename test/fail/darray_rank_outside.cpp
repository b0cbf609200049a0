// Rank 4 of a grid of four processes.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::darray: the rank is not in the grid

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto part(int n) {
  return io::darray({n, n}, io::distribute::block, io::list(constant<2>, constant<2>), constant<4>,
                    io::type<double>);
}
