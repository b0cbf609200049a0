// Rank 4 of a grid of four processes.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto part(int n) {
  return io::darray({n, n}, io::distribute::block, io::list(constant<2>, constant<2>), constant<3>,
                    io::type<double>);
}
