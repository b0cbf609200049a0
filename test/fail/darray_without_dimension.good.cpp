// The twin of darray_without_dimension.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto part(int rank) {
  return io::darray(io::list(constant<8>), io::distribute::block, io::list(constant<2>), rank,
                    io::type<int>);
}
