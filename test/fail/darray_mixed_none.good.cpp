// The twin of darray_mixed_none.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto part(int k, int rank) {
  return io::darray({64, 64}, each(cyclic(k), none), io::list(constant<4>, constant<1>), rank,
                    io::type<int>);
}
