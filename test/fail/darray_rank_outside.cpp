// Rank 4 of a grid of four processes.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::darray: the rank is not in the grid

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::c;

auto part(int n) {
  return io::darray({n, n}, io::distribute::block, io::list(c<2>, c<2>), c<4>, io::type<double>);
}
