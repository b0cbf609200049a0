// Rank 4 of a grid of four processes.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::c;

auto part(int n) {
  return io::darray({n, n}, io::distribute::block, io::list(c<2>, c<2>), c<3>, io::type<double>);
}
