// The twin of darray_block_too_small.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto part(int n, int rank) {
  return io::darray(io::list(constant<64>, n), each(block(constant<32>), block),
                    io::list(constant<2>, constant<2>), rank, io::type<int>);
}
